// A migration: the mark of the last write, by which a commit whose answer was lost is found again.
import type { Kysely, Migration } from 'kysely';

export const leaseMark: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('lease').addColumn('last_write', 'text').execute();
  },
};
