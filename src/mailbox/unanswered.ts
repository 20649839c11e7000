// Who waits without having heard from us: the oldest open message of each conversation.
import type { MessageState } from '../domain/message.js';
import type { Unanswered } from '../ports/mailbox.js';
import type { Db } from './tables.js';

/** As `Mailbox.unanswered`. */
export async function unanswered(db: Db, unsettled: readonly MessageState[]): Promise<Unanswered[]> {
  const rows = await db
    .with('firsts', (with_) =>
      with_
        .selectFrom('messages')
        .select((eb) => eb.fn.min('seq').as('seq'))
        .where('state', 'in', unsettled)
        .groupBy('conversation'),
    )
    .selectFrom('messages as m')
    .innerJoin('firsts', 'firsts.seq', 'm.seq')
    .select(['m.id', 'm.conversation', 'm.reply_to', 'm.spooled_at'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as heard')
            .select('heard.id')
            .whereRef('heard.claim_id', '=', 'm.claim_id')
            .where('heard.kind', '!=', 'other'),
        ),
      ),
    )
    .orderBy('m.seq')
    .execute();
  return rows.map(({ id, conversation, reply_to, spooled_at }) => ({
    id,
    conversation,
    to: reply_to ?? conversation,
    spooledAt: spooled_at,
  }));
}
