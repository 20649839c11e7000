// The first migration: all tables, in words that SQLite and PostgreSQL share.
import { type Kysely, type Migration, sql } from 'kysely';

// `bigint` for every instant and number of order: SQLite stores it as INTEGER, PostgreSQL's `integer` is too small
// for epoch ms. Numbers of order are drawn as the highest plus one, under the lease: no autoincrement of either kind.
// One database holds one inbox; several inboxes in one PostgreSQL get a schema each.
export const firstSchema: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await claims(db);
    await messages(db);
    await outbox(db);
    await turns(db);
    await housekeeping(db);
  },
};

async function claims(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('claims')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull().unique())
    .addColumn('conversation', 'text', (c) => c.notNull())
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('open', 'retry', 'settled')`))
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('retry_at', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('session_id', 'text')
    .addColumn('before_session_id', 'text')
    .addColumn('before_prompt_kept', 'integer')
    .addColumn('before_rescued', 'integer')
    .addColumn('before_error', 'text')
    .addColumn('opened_at', 'bigint', (c) => c.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('settled_as', 'text', (c) => c.check(sql`settled_as in ('answered', 'silent', 'dead')`))
    .addCheckConstraint('claims_settled_whole', sql`(state = 'settled') = (settled_as is not null)`)
    .execute();
  // The rule itself, not only speed: a conversation has at most one unsettled claim.
  await db.schema
    .createIndex('claims_unsettled')
    .unique()
    .on('claims')
    .column('conversation')
    .where(sql<boolean>`state <> 'settled'`)
    .execute();
  await db.schema.createIndex('claims_by_state').on('claims').columns(['state', 'retry_at']).execute();
  await db.schema
    .createTable('steps')
    .addColumn('claim_id', 'text', (c) => c.notNull().references('claims.id'))
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('note', 'text')
    .addPrimaryKeyConstraint('steps_key', ['claim_id', 'seq'])
    .execute();
}

async function messages(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('messages')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull().unique())
    .addColumn('conversation', 'text', (c) => c.notNull())
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('reply_to', 'text')
    .addColumn('sent_at', 'bigint')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('waiting', 'claimed', 'retry', 'answered', 'silent', 'dead')`),
    )
    .addColumn('spooled_at', 'bigint', (c) => c.notNull())
    .addColumn('claim_id', 'text', (c) => c.references('claims.id'))
    .addColumn('settled_at', 'bigint')
    .execute();
  await db.schema.createIndex('messages_by_state').on('messages').columns(['state', 'seq']).execute();
  await db.schema
    .createIndex('messages_by_conversation')
    .on('messages')
    .columns(['conversation', 'state', 'seq'])
    .execute();
  await db.schema.createIndex('messages_by_claim').on('messages').column('claim_id').execute();
}

async function outbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('outbox')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('send_id', 'bigint', (c) => c.notNull())
    .addColumn('claim_id', 'text', (c) => c.references('claims.id'))
    .addColumn('idempotency_key', 'text', (c) => c.notNull().unique())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('conversation', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('reply', 'interim', 'other', 'notice')`))
    .addColumn('ordinal', 'integer', (c) => c.notNull())
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('queued', 'sending', 'sent', 'refused', 'unsure')`),
    )
    .addColumn('reply_to_id', 'text')
    .addColumn('upstream_id', 'text')
    .addColumn('queued_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('retry_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute();
  await db.schema.createIndex('outbox_by_state').on('outbox').columns(['state', 'id']).execute();
  await db.schema.createIndex('outbox_by_target').on('outbox').columns(['target', 'state', 'id']).execute();
  await db.schema.createIndex('outbox_by_send').on('outbox').columns(['send_id', 'id']).execute();
  await db.schema.createIndex('outbox_by_claim').on('outbox').columns(['claim_id', 'id']).execute();
  await db.schema
    .createIndex('outbox_by_conversation')
    .on('outbox')
    .columns(['conversation', 'id'])
    .execute();
}

async function turns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('turns')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull().unique())
    .addColumn('claim_id', 'text', (c) => c.notNull())
    .addColumn('conversation', 'text', (c) => c.notNull())
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('session_id', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('prompt_bytes', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('verdict', 'text')
    .addColumn('outcome', 'text')
    .addColumn('cost_usd', 'double precision', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    .addColumn('model_calls', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('turns_by_start').on('turns').column('started_at').execute();
}

async function housekeeping(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('slots')
    .addColumn('slot', 'integer', (c) => c.primaryKey())
    .addColumn('pid', 'bigint')
    .addColumn('process_start', 'text')
    .addColumn('session_id', 'text')
    .addColumn('conversation', 'text')
    .execute();
  await db.schema
    .createTable('lease')
    .addColumn('id', 'integer', (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('generation', 'bigint', (c) => c.notNull())
    .addColumn('heartbeat_at', 'bigint', (c) => c.notNull())
    .addColumn('acquired_at', 'bigint', (c) => c.notNull())
    .addColumn('released_at', 'bigint')
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('boot_id', 'text', (c) => c.notNull())
    .addColumn('pid_namespace', 'text', (c) => c.notNull())
    .addColumn('pid', 'bigint', (c) => c.notNull())
    .addColumn('process_start', 'text', (c) => c.notNull())
    .addColumn('folder', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull().unique())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
}
