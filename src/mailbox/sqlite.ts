// Opens the SQLite file: private, durable, checked. All that is SQLite's alone is here.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely';
import { WorkerError } from '../domain/errors.js';
import type { OpenDatabase } from './database.js';
import { damagedStore, toStoreError } from './store-errors.js';
import type { Tables } from './tables.js';

/** How long we wait for another's commit, ms. Nobody's takes as long unless it holds the file open by hand. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 10;

/**
 * Opens `path` (or `:memory:`), making its folder (0700) and file (0600) unless `readOnly`.
 * Throws WorkerError `store-unusable` for a damaged or missing file, else what SQLite or the file system throws.
 */
export function openSqlite(path: string, options: { readOnly: boolean }): OpenDatabase {
  if (path !== ':memory:') {
    if (options.readOnly) requireFile(path);
    else makePrivate(path);
  }
  const database = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS, readonly: options.readOnly });
  try {
    if (!options.readOnly) prepare(database, path);
    const inode = inodeOf(path);
    return {
      db: new Kysely<Tables>({ dialect: new OurDialect(database) }),
      rowLocks: false,
      isInPlace: () => inodeOf(path) === inode,
      explain: (error) => toStoreError(error, path),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function prepare(database: Database, path: string): void {
  database.pragma('journal_mode = WAL');
  // Spool first: once we have told the upstream that a message is ours, only our disk has it. WAL's usual NORMAL
  // may lose the last commits when the power goes; FULL syncs at each commit.
  database.pragma('synchronous = FULL');
  // Early and small: on a full volume a log of megabytes would leave no room to move it into the database.
  database.pragma('wal_autocheckpoint = 64');
  database.pragma('journal_size_limit = 262144');
  // On macOS a plain fsync leaves the data in the drive's cache; elsewhere this does nothing.
  database.pragma('fullfsync = ON');
  database.pragma('foreign_keys = ON');
  // A damaged page may lie unread for days: better told at the start than in the middle of a turn.
  const found = String(database.pragma('quick_check(1)', { simple: true }));
  if (found !== 'ok') throw damagedStore(path, found.replaceAll(/\s+/g, ' '));
}

/** SQLite gives its -wal and -shm files the mode of the database file. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function requireFile(path: string): void {
  if (existsSync(path)) return;
  throw new WorkerError('store-unusable', `There is no store at ${path}.`, {
    hint: 'Start the worker once: it makes one.',
  });
}

/**
 * Kysely's own SQLite dialect begins every transaction deferred, and runs migrations outside of any. A deferred
 * one that reads before it writes fails at once, without waiting, when another process wrote in between.
 */
class OurDialect extends SqliteDialect {
  readonly #database: Database;

  constructor(database: Database) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new OurDriver(this.#database);
  }

  override createAdapter(): SqliteAdapter {
    return new OurAdapter();
  }
}

class OurDriver extends SqliteDriver {
  readonly #database: Database;

  constructor(database: Database) {
    super({ database });
    this.#database = database;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    if (settings?.accessMode === 'read only') await connection.executeQuery(CompiledQuery.raw('begin'));
    else await this.#beginWriting();
  }

  /**
   * SQLite's own wait blocks the whole process: its listeners, its heartbeats, and with them another store of this
   * process that holds the lock. So only this wait, the one for the right to write, is ours.
   */
  async #beginWriting(): Promise<void> {
    const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
    while (!this.#tryBegin(performance.now() >= giveUpAt)) await setTimeout(BUSY_PAUSE_MS);
  }

  #tryBegin(last: boolean): boolean {
    this.#database.pragma('busy_timeout = 0');
    try {
      this.#database.exec('begin immediate');
      return true;
    } catch (error) {
      if (last || !(error instanceof BetterSqlite3.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
      return false;
    } finally {
      this.#database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** On a full disk SQLite has rolled back by itself, and a second rollback would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Makes the Migrator run in one immediate transaction: whole or not at all, and one program at a time. */
class OurAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
