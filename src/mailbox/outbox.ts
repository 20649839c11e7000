// The outbox port over the store: what is committed, whose turn it is to be sent, and how it went.
import { WorkerError } from '../domain/errors.js';
import { DROPPED_BY_HAND } from '../domain/message.js';
import { type OutboxRow, type OutboxState, outboxMayBecome } from '../domain/outbox.js';
import type { NewNotice, NewSend, Outbox } from '../ports/outbox.js';
import { type Fenced, refuse } from './access.js';
import { openClaimById } from './claims.js';
import { addNotice, addSend, findSend, sendsOf, toOutboxRow } from './sends.js';
import type { Db } from './tables.js';

type SendResult = Parameters<Outbox['record']>[1];

export class StoreOutbox implements Outbox {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  commit(send: NewSend, at: number): Promise<{ rows: OutboxRow[]; repeated: boolean }> {
    return this.#store.write(async (db) => {
      const first = await findSend(db, send);
      if (first.length > 0) return { rows: first, repeated: true };
      const { conversation } = await openClaimById(db, send.claimId);
      return { rows: await addSend(db, { ...send, conversation }, at), repeated: false };
    });
  }

  notice(notice: NewNotice, at: number): Promise<boolean> {
    return this.#store.write((db) => addNotice(db, notice, at));
  }

  settlingSends(claimId: string): Promise<number> {
    return this.#store.read((db) => sendsOf(db, claimId, 'reply'));
  }

  next(at: number): Promise<OutboxRow | undefined> {
    return this.#store.write(async (db) => {
      const row = await heads(db)
        .selectAll('mine')
        .where(({ or, eb }) => or([eb('mine.retry_at', 'is', null), eb('mine.retry_at', '<=', at)]))
        .orderBy('mine.id')
        .executeTakeFirst();
      if (!row) return undefined;
      mustBecome(row.id, row.state, 'sending');
      await db.updateTable('outbox').set({ state: 'sending' }).where('id', '=', row.id).execute();
      return toOutboxRow({ ...row, state: 'sending' });
    });
  }

  record(rowId: number, result: SendResult, at: number): Promise<void> {
    return this.#store.write((db) => record(db, rowId, result, at));
  }

  settleUnsure(rowId: number, how: 'resend' | 'drop', at: number): Promise<void> {
    return this.#store.write(async (db) => {
      const row = await db.selectFrom('outbox').select('state').where('id', '=', rowId).executeTakeFirst();
      if (row?.state !== 'unsure') throw notUnsure(rowId, row?.state);
      await record(
        db,
        rowId,
        how === 'resend' ? { state: 'queued', retryAt: at } : { state: 'refused', error: DROPPED_BY_HAND },
        at,
      );
    });
  }

  recover(state: 'queued' | 'unsure'): Promise<number> {
    return this.#store.write(async (db) => {
      if (!outboxMayBecome('sending', state)) refuse(`A row that is sending cannot become ${state}.`);
      const { numUpdatedRows } = await db
        .updateTable('outbox')
        .set((eb) => ({ state, retry_at: null, attempts: eb('attempts', '+', 1) }))
        .where('state', '=', 'sending')
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    });
  }

  nextDueAt(): Promise<number | undefined> {
    return this.#store.read(async (db) => {
      const { first } = await heads(db)
        .select((eb) => eb.fn.min(eb.fn.coalesce('mine.retry_at', 'mine.queued_at')).as('first'))
        .executeTakeFirstOrThrow();
      return first === null ? undefined : Number(first);
    });
  }

  counts(): Promise<Readonly<Record<OutboxState, number>>> {
    return this.#store.read(async (db) => {
      const counts = { queued: 0, sending: 0, sent: 0, refused: 0, unsure: 0 };
      const rows = await db
        .selectFrom('outbox')
        .select(['state', (eb) => eb.fn.countAll().as('count')])
        .groupBy('state')
        .execute();
      for (const row of rows) counts[row.state] = Number(row.count);
      return counts;
    });
  }

  list({ states, limit }: { states: readonly OutboxState[]; limit: number }): Promise<OutboxRow[]> {
    return this.#store.read(async (db) => {
      if (states.length === 0) return [];
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .where('state', 'in', states)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toOutboxRow);
    });
  }

  ofClaim(claimId: string): Promise<OutboxRow[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .where('claim_id', '=', claimId)
        .orderBy('id')
        .execute();
      return rows.map(toOutboxRow);
    });
  }
}

/** Queued rows that wait for no other: first of their target, which nothing is being sent to, and no part before them in doubt. */
function heads(db: Db) {
  return db
    .selectFrom('outbox as mine')
    .where('mine.state', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as earlier')
            .select('earlier.id')
            .whereRef('earlier.target', '=', 'mine.target')
            .whereRef('earlier.id', '<', 'mine.id')
            .where('earlier.state', '=', 'queued'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          // Of any number: a row re-queued out of doubt may stand before one that is being sent.
          selectFrom('outbox as busy')
            .select('busy.id')
            .whereRef('busy.target', '=', 'mine.target')
            .where('busy.state', '=', 'sending'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as doubted')
            .select('doubted.id')
            .whereRef('doubted.send_id', '=', 'mine.send_id')
            .whereRef('doubted.id', '<', 'mine.id')
            .where('doubted.state', '=', 'unsure'),
        ),
      ),
    );
}

async function record(db: Db, rowId: number, result: SendResult, at: number): Promise<void> {
  const row = await db.selectFrom('outbox').selectAll().where('id', '=', rowId).executeTakeFirst();
  if (!row) return refuse(`There is no row ${rowId} in the outbox.`);
  if (row.state === 'queued') refuse(`Row ${rowId} of the outbox has not been tried.`);
  mustBecome(rowId, row.state, result.state);
  if (result.state === 'queued' && result.retryAt === undefined) {
    refuse(`Row ${rowId} of the outbox is to be tried again, but not told when.`);
  }
  await db
    .updateTable('outbox')
    .set({
      state: result.state,
      // An unsure row's try was counted when it became unsure.
      attempts: row.attempts + (row.state === 'sending' ? 1 : 0),
      upstream_id: result.upstreamId ?? null,
      sent_at: result.state === 'sent' ? at : null,
      retry_at: result.state === 'queued' ? (result.retryAt ?? null) : null,
      last_error: result.error ?? null,
    })
    .where('id', '=', rowId)
    .execute();
  if (result.state !== 'refused') return;
  if (!outboxMayBecome('queued', 'refused')) refuse('A queued row cannot be refused.');
  await db
    .updateTable('outbox')
    .set({ state: 'refused', retry_at: null, last_error: 'an earlier part of it was refused' })
    .where('send_id', '=', row.send_id)
    .where('id', '>', rowId)
    .where('state', '=', 'queued')
    .execute();
}

function notUnsure(rowId: number, state: OutboxState | undefined): WorkerError {
  return state === undefined
    ? new WorkerError('usage', `There is no send ${rowId} in the outbox.`)
    : new WorkerError('usage', `Send ${rowId} is not unsure but ${state}; it needs no decision.`);
}

function mustBecome(rowId: number, from: OutboxState, to: OutboxState): void {
  if (!outboxMayBecome(from, to)) refuse(`Row ${rowId} of the outbox cannot go from ${from} to ${to}.`);
}
