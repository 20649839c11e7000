// A migration: indexes for what a dashboard asks every few seconds, beside a worker that must not wait for it.
import type { Kysely, Migration } from 'kysely';

export const reportIndexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const index = (name: string, table: string, columns: string[]): Promise<void> =>
      db.schema.createIndex(name).on(table).columns(columns).execute();
    await index('messages_by_arrival', 'messages', ['conversation', 'seq']);
    await index('turns_by_order', 'turns', ['conversation', 'seq']);
    await index('outbox_by_sending', 'outbox', ['kind', 'sent_at']);
    // Without it SQLite takes the one above for what is asked of a single claim, and walks through all replies.
    await index('outbox_by_kind', 'outbox', ['claim_id', 'kind', 'sent_at']);
  },
};
