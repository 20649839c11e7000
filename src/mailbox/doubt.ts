// A commit whose answer was lost with the connection: found out afterwards by a mark that it left on the lease's row.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { WorkerError } from '../domain/errors.js';
import type { Db } from './tables.js';

/** Together a minute: a restart of the server takes less. */
const TRIES = 30;
const PAUSE_MS = 2_000;

/** One transaction that holds the lease's row locked; throws `lease-lost` where the lease is not ours. */
type Transaction = <R>(work: (db: Db) => Promise<R>) => Promise<R>;

/**
 * Writes, and answers what `work` answered once it is certain that it was kept. Throws as the transaction does where
 * it is certain that it was not. `in-doubt` where the database stays away.
 */
export async function writeMarked<T>(
  transaction: Transaction,
  work: (db: Db) => Promise<T>,
  leavesDoubt: (error: unknown) => boolean,
): Promise<{ readonly result: T } | 'in-doubt'> {
  const mark = randomUUID();
  let done: { readonly result: T } | undefined;
  try {
    return await transaction(async (db) => {
      const result = await work(db);
      await db.updateTable('lease').set({ last_write: mark }).execute();
      done = { result };
      return done;
    });
  } catch (error) {
    // Broken before its commit was asked for, it was rolled back.
    if (!done || !leavesDoubt(error)) throw error;
    const kept = await hasLanded(transaction, mark);
    if (kept === undefined) return 'in-doubt';
    if (kept) return done;
    throw error;
  }
}

/**
 * The row is locked to read it: a transaction that still hangs on the broken connection has ended by then, one way or
 * the other. Undefined where the database does not come back.
 */
async function hasLanded(transaction: Transaction, mark: string): Promise<boolean | undefined> {
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      return await transaction(async (db) => {
        const row = await db.selectFrom('lease').select('last_write').executeTakeFirst();
        return row?.last_write === mark;
      });
    } catch (error) {
      if (error instanceof WorkerError && error.code === 'lease-lost') throw error;
    }
    await setTimeout(PAUSE_MS);
  }
  return undefined;
}

/** To begin anew from what the database holds is then the only safe way on. */
export const lostInDoubt = (): WorkerError =>
  new WorkerError(
    'lease-lost',
    'The database went away in the middle of a commit and did not come back: whether it was kept is not known.',
    { hint: 'Start again when the database is back: the worker goes on from what it holds.' },
  );
