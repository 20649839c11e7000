// A migration: indexes for what came in and what ended since an instant, which `status` asks every second.
import type { Kysely, Migration } from 'kysely';

export const todayIndexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('messages_by_spooling').on('messages').column('spooled_at').execute();
    await db.schema.createIndex('messages_by_end').on('messages').columns(['settled_at', 'state']).execute();
  },
};
