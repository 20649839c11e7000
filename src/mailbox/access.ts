// Transactions: one consistent view to read in, one commit to write in, errors in sentences.
import { WorkerError } from '../domain/errors.js';
import type { OpenDatabase } from './database.js';
import type { Db } from './tables.js';

export class Access {
  /** As it says of itself. */
  readonly database: Omit<OpenDatabase, 'db'>;
  readonly #db: Db;
  readonly #place: string;
  readonly #inFlight = new Set<Promise<unknown>>();
  #closed = false;

  constructor(database: OpenDatabase, place: string) {
    this.#db = database.db;
    this.database = database;
    this.#place = place;
  }

  /** Reads in one consistent view. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#run(() =>
      this.#db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work),
    );
  }

  /** Writes in one commit: all of it is on disk when this resolves, none of it when it rejects. Not fenced. */
  change<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#run(() => this.#db.transaction().execute(work));
  }

  /** Lets what runs finish, then closes. Nothing is taken afterwards. May be repeated. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#inFlight);
    await this.#db.destroy();
  }

  /** The sentence for a database that was taken away. */
  gone(): WorkerError {
    return new WorkerError(
      'lease-lost',
      `${this.#place} was removed or replaced while we ran; nothing was written.`,
      {
        hint: 'Start again; if it was moved, move it back first.',
      },
    );
  }

  async #run<T>(transaction: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new WorkerError('store-unusable', `${this.#place} has been closed.`);
    const running = transaction();
    this.#inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      throw this.database.explain(error);
    } finally {
      this.#inFlight.delete(running);
    }
  }
}

/** What the ports stand on: reads for everybody, writes for the holder of the lease. */
export interface Fenced {
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Throws WorkerError `lease-lost`, with nothing written, unless the lease is ours in this very transaction. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** A state that our own rules forbid: a bug of the caller. */
export function refuse(message: string): never {
  throw new WorkerError('internal', message);
}

/** The next number of an order, drawn under the lease: two writers cannot draw the same. */
export const after = (highest: number | string | bigint | null | undefined): number =>
  Number(highest ?? 0) + 1;
