// The end of a log file that is rotated to `PATH.1`: its last lines, and what is added to it from then on.
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerError } from '../domain/errors.js';
import { lineFramer } from '../lib/line-framer.js';
import { NoRegularFile, openToRead } from '../lib/regular-file.js';

export interface Tail {
  /** The last lines, oldest first, without their line ends. */
  readonly lines: readonly string[];
  /** Where they end; what `followFile` goes on from. */
  readonly end: Place;
}

/** A place in a file; `ino` 0 while there is no file. */
interface Place {
  readonly ino: number;
  readonly offset: number;
}

const POLL_MS = 250;

/** The last `count` lines, where needed out of `PATH.1` too. Undefined when there is no such file. */
export async function tailFile(path: string, count: number): Promise<Tail | undefined> {
  const current = await readFrom(path, 0);
  if (!current) return undefined;
  const lines = linesOf(current.bytes);
  const earlier = lines.length < count ? await readFrom(`${path}.1`, 0) : undefined;
  const all = [...(earlier ? linesOf(earlier.bytes) : []), ...lines];
  return { lines: count > 0 ? all.slice(-count) : [], end: current.end };
}

/** Hands over each line that is added, until `signal` aborts. The file may be missing, be rotated and come back. */
export async function followFile(
  path: string,
  from: Place | undefined,
  onLine: (line: string) => void,
  signal: AbortSignal,
  pollMs = POLL_MS,
): Promise<void> {
  const framer = lineFramer({ onLine });
  let place = from ?? { ino: 0, offset: 0 };
  while (!signal.aborted) {
    const found = await stat(path).catch(() => undefined);
    if (found && found.ino !== place.ino) {
      // Rotated: what was added before that is in the file's new name.
      const rest = place.ino === 0 ? undefined : await readFrom(`${path}.1`, place.offset, place.ino);
      if (rest) framer.push(rest.bytes);
      place = { ino: found.ino, offset: 0 };
    }
    if (found && found.size < place.offset) place = { ...place, offset: 0 };
    if (found && found.size > place.offset) {
      const more = await readFrom(path, place.offset, place.ino);
      if (more) {
        framer.push(more.bytes);
        place = more.end;
        continue;
      }
    }
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** All bytes from `offset` on; undefined when there is no such file, or it is another than `ino`. */
async function readFrom(
  path: string,
  offset: number,
  ino?: number,
): Promise<{ bytes: Buffer; end: Place } | undefined> {
  const file = await openToRead(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (!(error instanceof NoRegularFile)) throw error;
    const hint = 'Move what stands there away; the worker makes the file anew.';
    throw new WorkerError('file-unreadable', `${error.message}.`, { hint, cause: error });
  });
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (ino !== undefined && found.ino !== ino) return undefined;
    const bytes = Buffer.alloc(Math.max(0, found.size - offset));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, bytesRead), end: { ino: found.ino, offset: offset + bytesRead } };
  } finally {
    await file.close();
  }
}

function linesOf(bytes: Buffer): string[] {
  const lines = bytes.toString('utf8').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
