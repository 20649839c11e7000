// Brings a database to our schema, and refuses one that a newer version wrote.
import { DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator } from 'kysely';
import { WorkerError } from '../domain/errors.js';
import type { OpenDatabase } from './database.js';
import { firstSchema } from './first-schema.js';
import { leaseMark } from './lease-mark.js';
import { reportIndexes } from './report-indexes.js';
import { secondSchema } from './second-schema.js';
import { slotWear } from './slot-wear.js';
import { todayIndexes } from './today-indexes.js';

type Schema = Pick<OpenDatabase, 'db' | 'schema'>;

/** In order of their names; a new one gets a later name and never changes an old one. */
const MIGRATIONS: Record<string, Migration> = {
  '2026-11-first': firstSchema,
  '2026-11-second': secondSchema,
  '2026-11-slot-wear': slotWear,
  '2026-11-write-mark': leaseMark,
  '2026-12-report-indexes': reportIndexes,
  '2026-12-today': todayIndexes,
};

/**
 * Runs what is missing, all in one transaction. May be repeated, and by two programs at once.
 * Throws WorkerError `store-unusable` when a newer version wrote the database.
 */
export async function migrate({ db, schema }: Schema, place: string): Promise<void> {
  const executed = await refuseNewer({ db, schema }, place);
  // The Migrator writes its bookkeeping even where nothing is to be done: an opening must not wait for a lock.
  if (isCurrent(executed)) return;
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  }).migrateToLatest();
  if (error !== undefined) throw error;
}

/** For a reader, who may not migrate. Throws WorkerError `store-unusable` unless the schema is exactly ours. */
export async function requireCurrent(schema: Schema, place: string): Promise<void> {
  const executed = await refuseNewer(schema, place);
  if (isCurrent(executed)) return;
  if (executed.length === 0) {
    throw new WorkerError('store-unusable', `There is no store in ${place}.`, {
      hint: 'Start the worker once: it makes one.',
    });
  }
  throw new WorkerError('store-unusable', `${place} was last used by an older version of inbox-worker.`, {
    hint: 'Start the worker once with this version: it brings the store up to date.',
  });
}

const isCurrent = (executed: readonly string[]): boolean =>
  executed.length === Object.keys(MIGRATIONS).length;

async function refuseNewer(schema: Schema, place: string): Promise<string[]> {
  const executed = await executedMigrations(schema);
  const unknown = executed.filter((name) => !(name in MIGRATIONS));
  if (unknown.length === 0) return executed;
  throw new WorkerError(
    'store-unusable',
    `${place} was written by a newer version of inbox-worker (its schema has ${unknown.join(', ')}).`,
    { hint: 'Update inbox-worker; nothing was changed.' },
  );
}

async function executedMigrations({ db, schema }: Schema): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isOurs = (table: { schema?: string }): boolean => schema === undefined || table.schema === schema;
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE && isOurs(table))) return [];
  const bookkeeping = db as unknown as Kysely<Record<typeof DEFAULT_MIGRATION_TABLE, { name: string }>>;
  const rows = await bookkeeping.selectFrom(DEFAULT_MIGRATION_TABLE).select('name').execute();
  return rows.map((row) => row.name);
}
