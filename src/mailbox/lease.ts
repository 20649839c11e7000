// The lease row: taken, kept by a heartbeat, given back, and the fence that every write passes.
import { WorkerError } from '../domain/errors.js';
import { judgeLease, type LeaseHolder, type LeaseRow } from '../domain/lease.js';
import { type Deferred, deferred } from '../lib/deferred.js';
import type { Clock } from '../ports/clock.js';
import type { LastHolder, Lease, LeaseOutcome } from '../ports/lease.js';
import type { Access, Fenced } from './access.js';
import { lostInDoubt, writeMarked } from './doubt.js';
import { fromLeaseRow, type LeaseState, leaseSentence, toLeaseRow } from './lease-row.js';
import type { Db } from './tables.js';

export interface LeaseOptions {
  readonly clock: Clock;
  readonly owner: LeaseHolder & { readonly owner: string };
  readonly staleMs: number;
  readonly heartbeatMs: number;
  readonly startOf: (pid: number) => string | undefined;
}

/**
 * Not ours → ours (a generation is set, the heartbeat runs) → not ours: given back, or lost (then `lost` resolves).
 * Losing is noticed by the heartbeat or by the fence of any write, whichever comes first.
 */
export class StoreLease implements Lease, Fenced {
  readonly #access: Access;
  readonly #options: LeaseOptions;
  #generation: number | undefined;
  #rival: LeaseRow | undefined;
  #lost: Deferred<LeaseRow | undefined> = deferred();
  #isLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(access: Access, options: LeaseOptions) {
    this.#access = access;
    this.#options = options;
  }

  get lost(): Promise<LeaseRow | undefined> {
    return this.#lost.promise;
  }

  async acquire(): Promise<LeaseOutcome> {
    const outcome = await this.#access.change((db) => this.#tryAcquire(db));
    if (outcome.kind === 'held') return outcome;
    this.#generation = outcome.generation;
    this.#rival = undefined;
    if (this.#isLost) {
      this.#isLost = false;
      this.#lost = deferred();
    }
    this.#startHeartbeat();
    return outcome;
  }

  async release(): Promise<void> {
    const generation = this.#generation;
    this.stopHeartbeat();
    this.#generation = undefined;
    if (generation === undefined) return;
    try {
      await this.#access.change(async (db) =>
        db
          .updateTable('lease')
          .set({ released_at: await this.#now(db) })
          .where('owner', '=', this.#options.owner.owner)
          .where('generation', '=', generation)
          .execute(),
      );
    } catch {
      // It goes stale by itself, and is taken at once where we are provably dead.
    }
  }

  async evict(owner: string): Promise<boolean> {
    return this.#access.change(async (db) => {
      const state = await this.#load(db);
      if (!state || state.released || state.lease.owner !== owner) return false;
      await db
        .updateTable('lease')
        .set({ released_at: await this.#now(db) })
        .execute();
      return true;
    });
  }

  async show(): Promise<LeaseRow | undefined> {
    const row = await this.#access.read((db) => this.#load(db, false));
    return row === undefined || row.released ? undefined : row.lease;
  }

  async last(): Promise<LastHolder | undefined> {
    const row = await this.#access.read((db) => this.#load(db, false));
    return row && { row: row.lease, releasedAt: row.releasedAt };
  }

  read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#access.read(work);
  }

  async write<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const generation = this.#generation;
    if (generation === undefined) throw this.#notOurs();
    if (!this.#access.database.isInPlace()) {
      this.#lose(generation, undefined);
      throw this.#access.gone();
    }
    const fenced = <R>(run: (db: Db) => Promise<R>): Promise<R> => this.#fenced(generation, run);
    if (!this.#access.database.leavesDoubt) return fenced(work);
    const end = await writeMarked(fenced, work, this.#access.database.leavesDoubt);
    if (end !== 'in-doubt') return end.result;
    this.#lose(generation, undefined);
    throw lostInDoubt();
  }

  /** One transaction, under the lease's row, which stays locked till its end. */
  async #fenced<T>(generation: number, work: (db: Db) => Promise<T>): Promise<T> {
    let rival: LeaseState | undefined;
    let fenced = false;
    try {
      return await this.#access.change(async (db) => {
        rival = await this.#load(db);
        fenced = !this.#isOurs(rival, generation);
        if (fenced) throw this.#notOurs(rival?.lease);
        return work(db);
      });
    } finally {
      if (fenced) this.#lose(generation, rival?.lease);
    }
  }

  /** Ends the timer and nothing else. May be repeated. */
  stopHeartbeat(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tryAcquire(db: Db): Promise<LeaseOutcome> {
    const { owner, staleMs, startOf } = this.#options;
    const now = await this.#now(db);
    const state = await this.#load(db);
    const holder = state?.released ? undefined : state?.lease;
    const how = judgeLease(holder, owner, now, staleMs, startOf);
    if (how === 'held' && holder) return { kind: 'held', by: holder };
    if (how === 'held') throw new WorkerError('internal', 'A lease that nobody has was judged held.');
    const ours = how === 'ours' && holder !== undefined;
    const generation = ours ? holder.generation : (state?.lease.generation ?? 0) + 1;
    const acquiredAt = ours ? holder.acquiredAt : now;
    const row = toLeaseRow(owner, generation, acquiredAt, now);
    const { id: _, ...change } = row;
    await db
      .insertInto('lease')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
      .execute();
    return { kind: 'acquired', generation, how };
  }

  #startHeartbeat(): void {
    this.stopHeartbeat();
    // A plain interval, not the clock's absolute instants: a clock that is set back must not silence it.
    // It keeps no process alive: who forgets to release must still be able to end.
    this.#timer = setInterval(() => void this.#beat(), this.#options.heartbeatMs);
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const generation = this.#generation;
    if (generation === undefined) return;
    if (!this.#access.database.isInPlace()) return this.#lose(generation, undefined);
    try {
      const state = await this.#access.change(async (db) => {
        const found = await this.#load(db);
        if (this.#isOurs(found, generation)) {
          await db
            .updateTable('lease')
            .set({ heartbeat_at: await this.#now(db) })
            .execute();
        }
        return found;
      });
      if (!this.#isOurs(state, generation)) this.#lose(generation, state?.lease);
    } catch {
      // A full disk or a lock: the next beat tries again, and the next write tells.
    }
  }

  /** The row; locked, it stays as it is until the transaction that asked has ended. */
  async #load(db: Db, locked = true): Promise<LeaseState | undefined> {
    const row = await db
      .selectFrom('lease')
      .selectAll()
      .$if(locked && this.#access.database.rowLocks, (query) => query.forUpdate())
      .executeTakeFirst();
    return row && fromLeaseRow(row);
  }

  async #now(db: Db): Promise<number> {
    return (await this.#access.database.now?.(db)) ?? this.#options.clock.now();
  }

  #isOurs(state: LeaseState | undefined, generation: number): boolean {
    return (
      state !== undefined &&
      !state.released &&
      state.lease.owner === this.#options.owner.owner &&
      state.lease.generation === generation
    );
  }

  #lose(generation: number, rival: LeaseRow | undefined): void {
    // Released, or lost and taken again, while the answer was under way.
    if (this.#generation !== generation) return;
    this.stopHeartbeat();
    this.#generation = undefined;
    this.#rival = rival;
    this.#isLost = true;
    this.#lost.resolve(rival);
  }

  #notOurs(rival: LeaseRow | undefined = this.#rival): WorkerError {
    return new WorkerError('lease-lost', leaseSentence(rival));
  }
}
