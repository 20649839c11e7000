// A migration: what a slot's session has come to, so that its limits hold over a restart.
import type { Kysely, Migration } from 'kysely';

export const slotWear: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['session_turns', 'session_started_at', 'session_tokens']) {
      await db.schema.alterTable('slots').addColumn(column, 'bigint').execute();
    }
  },
};
