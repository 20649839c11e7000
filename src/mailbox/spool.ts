// Spooling: a batch from the upstream, committed before anything else happens to it.
import { type IncomingMessage, type MessageState, mayBecome } from '../domain/message.js';
import { after, refuse } from './access.js';
import type { Db } from './tables.js';

/** Stores what is new of a batch, in its order; a message whose id is known is left as it is. */
export async function spool(
  db: Db,
  batch: readonly IncomingMessage[],
  at: number,
  silent: ReadonlySet<string>,
): Promise<{ fresh: number; known: number }> {
  const { highest } = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.max('seq').as('highest'))
    .executeTakeFirstOrThrow();
  let seq = after(highest);
  const first = seq;
  for (const message of batch) {
    const state = silent.has(message.id) ? fallSilent() : 'waiting';
    const id = await ownId(db, message);
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('messages')
      .values({
        id,
        seq,
        conversation: message.conversation,
        sender: message.sender,
        text: message.text,
        reply_to: message.replyTo ?? null,
        sent_at: message.sentAt ?? null,
        kind: message.kind,
        state,
        spooled_at: at,
        claim_id: null,
        settled_at: state === 'silent' ? at : null,
        dropped: 0,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) seq += 1;
  }
  return { fresh: seq - first, known: batch.length - (seq - first) };
}

/**
 * The id it is known by here. Some servers count anew in each conversation: an id that another conversation has is
 * another message, and would be lost as a known one.
 */
async function ownId(db: Db, { id, conversation }: IncomingMessage): Promise<string> {
  const known = await db
    .selectFrom('messages')
    .select('conversation')
    .where('id', '=', id)
    .executeTakeFirst();
  return known === undefined || known.conversation === conversation ? id : `${conversation}/${id}`;
}

function fallSilent(): MessageState {
  return mayBecome('waiting', 'silent') ? 'silent' : refuse('A waiting message cannot fall silent.');
}
