// The control files of the agent's folder: taken away once seen; those of an earlier run are told and dropped.
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventFlag, Flags } from '../ports/flags.js';

export interface FileFlagsOptions {
  /** The agent's `.orchestrator` folder. It need not exist. */
  readonly folder: string;
  /** When this run began, epoch ms: an event flag from before it belongs to a run that is over. */
  readonly startedAt: number;
  /** An event flag of an earlier run was found, ignored and removed. */
  onStale(flag: EventFlag): void;
  /** A flag could not be removed: one sentence. It counts once, until it is touched again. */
  onTrouble?(text: string): void;
}

/** Linux stamps files with a clock that runs up to a scheduler tick behind `Date.now()`. */
const STAMP_LAG_MS = 20;

export function fileFlags(options: FileFlagsOptions): Flags {
  const { folder, startedAt } = options;
  /** Flags we may not remove, by the stamp they had when they were taken. */
  const stuck = new Map<EventFlag, number>();

  return {
    async take(flag) {
      const path = join(folder, flag);
      const found = await stampOf(path);
      if (found === undefined || stuck.get(flag) === found) return false;
      try {
        await unlink(path);
        stuck.delete(flag);
      } catch (error) {
        // Somebody else took it between our two calls: then it is theirs.
        if (codeOf(error) === 'ENOENT') return false;
        stuck.set(flag, found);
        options.onTrouble?.(`the control file ${flag} was read but cannot be removed (${codeOf(error)})`);
      }
      if (found >= startedAt - STAMP_LAG_MS) return true;
      options.onStale(flag);
      return false;
    },
    async paused() {
      return lstat(join(folder, 'pause')).then(
        () => true,
        () => false,
      );
    },
  };
}

const EVENTS: readonly EventFlag[] = ['did-work', 'clear-session', 'wake', 'stop'];

/**
 * Tells and drops what an earlier run left behind. At the start, since whoever touches such a file again later makes
 * it an event of this run, and nobody would hear of the old one.
 */
export async function dropStale(
  flags: Flags,
  { folder, startedAt }: Pick<FileFlagsOptions, 'folder' | 'startedAt'>,
): Promise<void> {
  for (const flag of EVENTS) {
    const found = await stampOf(join(folder, flag));
    if (found !== undefined && found < startedAt - STAMP_LAG_MS) await flags.take(flag);
  }
}

/** Time of the last change, epoch ms; undefined when there is no such file. A folder of that name is no flag. */
async function stampOf(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path);
    return found.isDirectory() ? undefined : found.mtimeMs;
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';
