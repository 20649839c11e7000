// Where things lie on disk: the state root, one folder an inbox, and the agent's own `.orchestrator`.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepTemporaries, writeFileAtomic } from '../lib/atomic-file.js';

export interface InboxFolder {
  readonly path: string;
  readonly database: string;
}

/** What a state folder says of itself, so that a rotated key can be told from a new inbox. */
interface FolderLabel {
  readonly endpoint: string;
  readonly identity: string;
}

const LABEL = 'inbox.json';

/** Makes (mode 0700) and labels the state folder of one inbox. `endpoint` is a hash of the inbox's address. */
export async function openInboxFolder(
  root: string,
  identity: string,
  endpoint: string,
): Promise<InboxFolder> {
  const path = join(root, identity);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await sweepTemporaries(path);
  const label: FolderLabel = { endpoint, identity };
  await writeFileAtomic(join(path, LABEL), `${JSON.stringify(label)}\n`);
  return { path, database: join(path, 'worker.db') };
}

/** Other folders of the same endpoint: what an inbox whose key was changed has left behind. */
export async function foldersOfEndpoint(
  root: string,
  endpoint: string,
  except: string,
): Promise<InboxFolder[]> {
  const names = await readdir(root).catch(() => []);
  const found: InboxFolder[] = [];
  for (const name of names.filter((name) => name !== except)) {
    const path = join(root, name);
    const label = await readLabel(join(path, LABEL));
    if (label?.endpoint === endpoint) found.push({ path, database: join(path, 'worker.db') });
  }
  return found;
}

async function readLabel(path: string): Promise<FolderLabel | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as FolderLabel;
  } catch {
    // Not a folder of ours, or one that was cut off while it was made: nothing can be waiting there.
    return undefined;
  }
}

export const localInboxFolder = (root: string): string => join(root, 'local-inbox');
export const agentFolder = (dir: string): string => join(dir, '.orchestrator');
