// Sends as rows of the outbox: one row a part, numbered within their claim.
import type { Selectable } from 'kysely';
import { canonicalName } from '../domain/addressing.js';
import { isSettled } from '../domain/message.js';
import { idempotencyKey, type OutboxRow, type SendKind } from '../domain/outbox.js';
import type { NewNotice } from '../ports/outbox.js';
import { after, refuse } from './access.js';
import type { Db, OutboxTable } from './tables.js';

export interface Send {
  /** For a notice in nobody's claim, its name. */
  readonly claimId: string;
  /** The claim's own. */
  readonly conversation: string;
  readonly to: string;
  readonly kind: SendKind;
  readonly ordinal: number;
  readonly parts: readonly string[];
  readonly replyToId: string | undefined;
}

export function toOutboxRow(row: Selectable<OutboxTable>): OutboxRow {
  return {
    id: row.id,
    claimId: row.claim_id ?? undefined,
    idempotencyKey: row.idempotency_key,
    to: row.target,
    text: row.text,
    kind: row.kind,
    ordinal: row.ordinal,
    part: row.part,
    state: row.state,
    replyToId: row.reply_to_id ?? undefined,
    upstreamId: row.upstream_id ?? undefined,
    queuedAt: row.queued_at,
    sentAt: row.sent_at ?? undefined,
    attempts: row.attempts,
    retryAt: row.retry_at ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}

/** Adds a send whose number is free. Answers its rows, in order. */
export function addSend(db: Db, send: Send, at: number): Promise<OutboxRow[]> {
  return addRows(db, send, send.claimId, at);
}

/** As `Outbox.notice`. */
export async function addNotice(db: Db, notice: NewNotice, at: number): Promise<boolean> {
  const { name, about, ...rest } = notice;
  const message = await db
    .selectFrom('messages')
    .select(['conversation', 'state'])
    .where('id', '=', about)
    .executeTakeFirst();
  if (!message || isSettled(message.state)) return false;
  const { conversation } = message;
  const send: Send = { ...rest, conversation, claimId: name, kind: 'notice', ordinal: 0, replyToId: about };
  const known = await db
    .selectFrom('outbox')
    .select('id')
    .where('idempotency_key', '=', idempotencyKey({ ...send, part: 0 }))
    .executeTakeFirst();
  if (!known) await addRows(db, send, null, at);
  return !known;
}

async function addRows(db: Db, send: Send, claimId: string | null, at: number): Promise<OutboxRow[]> {
  if (send.parts.length === 0) refuse(`A send of ${send.claimId} has no text.`);
  const { highest } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('id').as('highest'))
    .executeTakeFirstOrThrow();
  const first = after(highest);
  // Who is written to out of another conversation's turn has said and heard it all the same.
  const conversation = send.kind === 'other' ? canonicalName(send.to) : send.conversation;
  const rows = send.parts.map(
    (text, part): Selectable<OutboxTable> => ({
      id: first + part,
      send_id: first,
      claim_id: claimId,
      idempotency_key: idempotencyKey({ ...send, part }),
      target: send.to,
      conversation,
      text,
      kind: send.kind,
      ordinal: send.ordinal,
      part,
      state: 'queued',
      reply_to_id: send.replyToId ?? null,
      upstream_id: null,
      queued_at: at,
      sent_at: null,
      attempts: 0,
      retry_at: null,
      last_error: null,
    }),
  );
  // One by one: a 10 MB answer in pieces would pass the databases' limit of parameters in one statement.
  for (const row of rows) await db.insertInto('outbox').values(row).execute();
  return rows.map(toOutboxRow);
}

/** The rows of the send that has this number already; empty when it is free. */
export async function findSend(
  db: Db,
  send: Pick<Send, 'claimId' | 'to' | 'kind' | 'ordinal'>,
): Promise<OutboxRow[]> {
  const rows = await db
    .selectFrom('outbox')
    .selectAll()
    .where('claim_id', '=', send.claimId)
    .where('target', '=', send.to)
    .where('kind', '=', send.kind)
    .where('ordinal', '=', send.ordinal)
    .orderBy('part')
    .execute();
  return rows.map(toOutboxRow);
}

/** The next free number of this kind and target in the claim: how many there are, as they are numbered without gaps. */
export async function nextOrdinal(db: Db, claimId: string, to: string, kind: SendKind): Promise<number> {
  const { highest } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('ordinal').as('highest'))
    .where('claim_id', '=', claimId)
    .where('target', '=', to)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return highest === null ? 0 : after(highest);
}

/** How many sends of this kind the claim holds, in any state. */
export async function sendsOf(db: Db, claimId: string, kind: SendKind): Promise<number> {
  const { count } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('claim_id', '=', claimId)
    .where('kind', '=', kind)
    .where('part', '=', 0)
    .executeTakeFirstOrThrow();
  return Number(count);
}
