// Opens the inbox's SQLite file: private to its owner, durable, migrated.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { migrate } from './schema.js';

const BUSY_TIMEOUT_MS = 5_000;

/** Opens `path` (or `:memory:`), creating its folder (0700) and file (0600) where missing. Throws plain Errors. */
export function openDatabase(path: string): Database {
  if (path !== ':memory:') makePrivate(path);
  const db = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = WAL');
    // An accepted message is promised to its receiver: better-sqlite3's default in WAL mode (NORMAL) may lose the
    // last commits when the power goes.
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The keys are in it in plain. SQLite gives its -wal and -shm files the mode of the database file. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}
