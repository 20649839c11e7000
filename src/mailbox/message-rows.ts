// Messages between their rows and their shape, and their moves from state to state.
import type { Selectable } from 'kysely';
import { isSettled, type Message, type MessageState, mayBecome } from '../domain/message.js';
import { refuse } from './access.js';
import type { Db, MessagesTable } from './tables.js';

export function toMessage(row: Selectable<MessagesTable>): Message {
  return {
    id: row.id,
    conversation: row.conversation,
    sender: row.sender,
    text: row.text,
    replyTo: row.reply_to ?? undefined,
    sentAt: row.sent_at ?? undefined,
    kind: row.kind,
    state: row.state,
    spooledAt: row.spooled_at,
  };
}

/** A claim's messages in the order of their arrival. */
export async function messagesOf(db: Db, claimId: string): Promise<Message[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('claim_id', '=', claimId)
    .orderBy('seq')
    .execute();
  return rows.map(toMessage);
}

/** Moves all messages of a claim; answers how many. Throws when the transition table forbids it for one of them. */
export async function moveMessages(db: Db, claimId: string, to: MessageState, at: number): Promise<number> {
  const messages = await messagesOf(db, claimId);
  for (const message of messages) {
    if (!mayBecome(message.state, to))
      refuse(`Message ${message.id} cannot go from ${message.state} to ${to}.`);
  }
  await db
    .updateTable('messages')
    .set({ state: to, settled_at: isSettled(to) ? at : null })
    .where('claim_id', '=', claimId)
    .execute();
  return messages.length;
}
