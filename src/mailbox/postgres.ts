// Opens our schema in a PostgreSQL database. All that is PostgreSQL's alone is here and in postgres-errors.ts.
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { WorkerError } from '../domain/errors.js';
import type { OpenDatabase } from './database.js';
import { withNul, withoutNul } from './nul.js';
import { ConnectionLost, explainPostgres, isConnectionLost, isDatabaseWord } from './postgres-errors.js';
import type { Db, Tables } from './tables.js';

export interface PostgresPlace {
  /** `postgres://user:password@host:port/database`, with what else libpq's addresses may carry. */
  readonly url: string;
  /** One inbox, one schema. It is made where it is missing. */
  readonly schema: string;
  /** In place of the server's clock; the tests bring their own. */
  readonly now?: (() => Promise<number>) | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Ours take milliseconds; one that waits this long waits for a lock that somebody holds by hand. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Above the server's own limit: reached only when the server is not heard of any more. */
const ANSWER_TIMEOUT_MS = 20_000;
/** A transaction whose client went silent keeps the lease's row locked for so long at most. */
const IDLE_TRANSACTION_MS = 10_000;
/** One writes, one beats, and commands look on. */
const CONNECTIONS = 4;

const INT8 = 20;

/**
 * Connects, and makes the schema unless `readOnly`.
 * Throws WorkerError `setting-invalid` for an address that is none, `store-unusable` for what the server says to it.
 */
export async function openPostgres(
  place: PostgresPlace,
  options: { readOnly: boolean },
): Promise<{ database: OpenDatabase; name: string }> {
  const name = nameOf(place);
  const pool = await poolFor(place);
  // A connection that breaks while nobody uses it: the next query gets a new one.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: ourPool(pool) }) });
  try {
    if (!options.readOnly) await makeSchema(db, place.schema);
    else await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw explainPostgres(error, name);
  }
  const database: OpenDatabase = {
    db: db.withSchema(place.schema),
    schema: place.schema,
    rowLocks: true,
    // A server's tables are not replaced under us as a file is; what is dropped is told by the next query.
    isInPlace: () => true,
    explain: (error) => explainPostgres(error, name),
    now: place.now ?? now,
    leavesDoubt: isConnectionLost,
  };
  return { database, name };
}

/** For sentences: where it is, and never who logs in or how. */
function nameOf({ url, schema }: PostgresPlace): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new WorkerError('setting-invalid', 'The database_url is no address of a PostgreSQL database.', {
      hint: 'Write it as postgres://user:password@host:5432/database.',
    });
  }
  const host = parsed.host === '' ? (parsed.searchParams.get('host') ?? 'localhost') : parsed.host;
  return `the PostgreSQL database ${host}${parsed.pathname} (schema ${schema})`;
}

async function poolFor({ url }: PostgresPlace): Promise<Pool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new WorkerError('store-unusable', 'The package pg, which talks to PostgreSQL, is not installed.', {
      hint: 'npm install pg, beside inbox-worker; or unset database_url to use a local file.',
      cause,
    });
  });
  return new pg.Pool({
    connectionString: url,
    application_name: 'inbox-worker',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
    // All our numbers stay far below 2^53, and SQLite gives them as numbers too.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  });
}

/** Kysely's view of the pool: what breaks is told from what the server says, and never crashes the process. */
function ourPool(pool: Pool): PostgresPool {
  return {
    connect: async () => ourClient(await orLost(pool.connect())),
    end: () => pool.end(),
    options: {},
  } as PostgresPool;
}

function ourClient(client: PoolClient): PostgresPoolClient {
  let lost = false;
  // Out of the pool nobody listens, and an error event without a listener ends the process.
  const onError = (): void => {
    lost = true;
  };
  client.on('error', onError);
  return {
    async query<R>(text: unknown, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
      try {
        const asked = client.query(text as string, parameters.map(withoutNul));
        const answer = (await orLost(asked)) as unknown as PostgresQueryResult<R>;
        return { ...answer, rows: answer.rows.map(rowWithNul) };
      } catch (error) {
        lost ||= error instanceof ConnectionLost;
        throw error;
      }
    },
    release() {
      client.off('error', onError);
      // One in doubt is closed, not given to the next.
      client.release(lost);
    },
  } as PostgresPoolClient;
}

const rowWithNul = <R>(row: R): R =>
  Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, withNul(value)])) as R;

async function orLost<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isDatabaseWord(error) ? error : new ConnectionLost(error);
  }
}

async function makeSchema(db: Kysely<Tables>, schema: string): Promise<void> {
  try {
    await db.schema.createSchema(schema).ifNotExists().execute();
  } catch (error) {
    // Another worker that starts at this moment made it: PostgreSQL tells the second one of a duplicate key.
    if (!isDatabaseWord(error) || (error.code !== '23505' && error.code !== '42P06')) throw error;
  }
}

/** The server's clock, epoch ms: workers on several machines judge one lease by it. */
async function now(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  return rows[0]?.now ?? Date.now();
}
