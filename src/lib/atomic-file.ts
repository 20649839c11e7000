// Writes a file so that a reader sees the old text or the new one, never a half.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface AtomicFileOptions {
  /** Permission bits of the file. Default 0o600: most of what we write is nobody else's business. */
  mode?: number;
}

/** Writes `text` to `path` by way of a synced temporary file beside it; missing folders are made with mode 0700. */
export async function writeFileAtomic(
  path: string,
  text: string,
  options: AtomicFileOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', options.mode ?? 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const TEMPORARY = /.\.\d+\.[0-9a-f]{8}\.tmp$/;
/** No write takes that long. Pids tell nothing here: the folder may be shared with other machines. */
const LEFT_MS = 60_000;

/** Removes what programs that were killed in the middle of such a write have left in a folder of ours. Never rejects. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - LEFT_MS) await rm(path, { force: true }).catch(() => {});
  }
}
