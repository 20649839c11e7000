// The second migration: what a person did by hand, and indexes for budgets and for the life of a claim.
import { type Kysely, type Migration, sql } from 'kysely';

export const secondSchema: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // A dead claim that was re-opened while its conversation has another unsettled one: it waits, still `settled` for
    // the rule of one unsettled claim a conversation, and is taken up when that one ends.
    await db.schema.alterTable('claims').addColumn('reopened_at', 'bigint').execute();
    await db.schema
      .createIndex('claims_reopened')
      .on('claims')
      .columns(['conversation', 'seq'])
      .where(sql<boolean>`reopened_at is not null`)
      .execute();
    await db.schema
      .alterTable('messages')
      .addColumn('dropped', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('turns_by_claim').on('turns').columns(['claim_id', 'seq']).execute();
    await db.schema
      .createIndex('turns_by_conversation')
      .on('turns')
      .columns(['conversation', 'started_at'])
      .execute();
    await db.schema
      .createIndex('turns_by_end')
      .on('turns')
      .columns(['conversation', 'verdict', 'ended_at'])
      .execute();
  },
};
