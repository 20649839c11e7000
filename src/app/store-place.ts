// Where the store of an inbox lies: a file of its state folder, or a schema of a PostgreSQL database.
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import type { StoreOptions } from '../mailbox/index.js';

export type StorePlace = Pick<StoreOptions, 'path' | 'postgres'>;

type Where = Pick<Settings, 'stateDir' | 'databaseUrl'>;

export function storePlace({ stateDir, databaseUrl }: Where, identity: string): StorePlace {
  const path = join(stateDir, identity, 'worker.db');
  return databaseUrl === undefined
    ? { path }
    : { path, postgres: { url: databaseUrl, schema: schemaOf(identity) } };
}

/** PostgreSQL cuts names after 63 bytes: two that differ behind would be one. */
export function schemaOf(identity: string): string {
  const readable = /^[a-z0-9_-]{1,40}$/.test(identity);
  return `inbox_${readable ? identity : createHash('sha256').update(identity).digest('hex').slice(0, 40)}`;
}

/**
 * Opened to write it would be made where it is missing.
 * @throws WorkerError `store-unusable` where there is no file. A server is asked when it is opened.
 */
export async function mustExist({ path, postgres }: StorePlace, folder: string): Promise<void> {
  if (postgres) return;
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (there) return;
  throw new WorkerError(
    'store-unusable',
    `No worker has answered the inbox of ${folder} yet: there is no ${path}.`,
    { hint: 'Start the worker once, or name another folder with --dir.' },
  );
}
