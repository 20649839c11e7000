// What was told, kept over restarts: a death is told though we were killed before, and a restart repeats no hold.
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../lib/atomic-file.js';
import type { ToldHolds } from './outages.js';

export interface Told {
  /** Deaths up to this instant are told; undefined when none ever was. */
  readonly deathsUntil: number | undefined;
  readonly holds: ToldHolds;
}

/** Nothing, where the file is missing or is none of ours: the worst that comes of it is a telling too many. */
export async function readTold(path: string): Promise<Told> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<Told>;
    const { deathsUntil, holds } = value;
    return {
      deathsUntil: typeof deathsUntil === 'number' ? deathsUntil : undefined,
      holds: Object.fromEntries(
        Object.entries(holds ?? {}).filter(([, told]) => typeof told?.toldAt === 'number'),
      ),
    };
  } catch {
    return { deathsUntil: undefined, holds: {} };
  }
}

export function writeTold(path: string, told: Told): Promise<void> {
  return writeFileAtomic(path, `${JSON.stringify(told)}\n`);
}
