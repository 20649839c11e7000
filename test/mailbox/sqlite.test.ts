// The SQLite file itself: private, durable, reopened, refused when damaged, newer, full or not ours to write.
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { type Kysely, Migrator, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { firstSchema } from '../../src/mailbox/first-schema.js';
import { isDiskFull, openStore, type Store, type StoreOptions } from '../../src/mailbox/index.js';
import { migrate } from '../../src/mailbox/migrate.js';
import { storeOver } from '../../src/mailbox/open-store.js';
import { openSqlite } from '../../src/mailbox/sqlite.js';
import { answered, exchange, holder, message, retryAt, startOf } from '../conformance/mailbox.js';
import { VirtualClock } from '../support/virtual-clock.js';

let folder: string;
let path: string;
let stores: Store[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailbox-'));
  path = join(folder, 'state', 'worker.db');
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true, force: true });
});

const options = (more: Partial<StoreOptions> = {}): StoreOptions => ({
  path,
  clock: new VirtualClock(),
  owner: holder('a'),
  ...more,
});

async function opened(more: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore(options(more));
  stores.push(store);
  return store;
}

/** Opens, takes the lease, works, and closes as a crash would: the lease is not given back. */
async function during<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await opened();
  await store.lease.acquire();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function errorOf(promise: Promise<unknown>): Promise<WorkerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WorkerError);
  return error as WorkerError;
}

describe('the file', () => {
  it('is for its owner alone, and so is its folder', async () => {
    await during((store) => store.mailbox.spool([message('m1')], 1));
    await opened();
    const mode = async (name: string): Promise<string> => ((await stat(name)).mode & 0o777).toString(8);
    expect(await mode(join(folder, 'state'))).toBe('700');
    for (const end of ['', '-wal', '-shm']) expect(await mode(path + end)).toBe('600');
  });

  it('is made private again when somebody opened it up', async () => {
    await during(async () => {});
    await chmod(path, 0o644);
    await opened();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('syncs every commit to the disk', async () => {
    const { db } = openSqlite(path, { readOnly: false });
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
    const { rows: mode } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
    const { rows: keys } = await sql<{ foreign_keys: number }>`pragma foreign_keys`.execute(db);
    await db.destroy();
    expect([rows[0]?.synchronous, mode[0]?.journal_mode, keys[0]?.foreign_keys]).toEqual([2, 'wal', 1]);
  });

  it('keeps everything over a reopening', async () => {
    await during(async (store) => {
      await exchange(store, 'm1', answered('hello'));
      await exchange(store, 'm2', retryAt(9_000), { conversation: '@bob' });
      await store.mailbox.spool([message('m3', '@carol')], 3_000);
      await store.mailbox.claim({ at: 3_000, slot: 0, newId: 'c3' });
      await store.mailbox.noteSession('c3', 's3');
      await store.outbox.next(3_000);
      await store.slots.save({
        slot: 0,
        pid: 7,
        processStart: 'x',
        sessionId: 's3',
        conversation: '@carol',
        wear: undefined,
      });
      await store.deliveries.remember('d1', 3_000);
    });
    await during(async (store) => {
      expect((await store.lease.show())?.generation).toBe(1);
      expect(await store.mailbox.counts()).toMatchObject({
        messages: { claimed: 1, retry: 1, answered: 1 },
        oldestWaitingAt: 1_000,
      });
      expect(await store.mailbox.openClaims()).toMatchObject([{ id: 'c3', sessionId: 's3' }]);
      expect(await store.mailbox.nextRetryAt()).toBe(9_000);
      expect(await store.outbox.ofClaim('claim-m1')).toMatchObject([{ text: 'hello', state: 'sending' }]);
      expect(await store.slots.load(0)).toMatchObject({ pid: 7, sessionId: 's3' });
      expect(await store.deliveries.remember('d1', 4_000)).toBe(false);
    });
  });

  it('holds what was committed as soon as the promise resolves', async () => {
    const store = await opened();
    await store.lease.acquire();
    await store.mailbox.spool([message('m1')], 1);
    // The files as a killed process would leave them, the -wal not yet merged.
    const left = join(folder, 'left');
    await mkdir(left);
    for (const end of ['', '-wal']) await copyFile(path + end, join(left, `worker.db${end}`));
    const after = await opened({ path: join(left, 'worker.db') });
    expect(await after.mailbox.show('m1')).toMatchObject({ state: 'waiting' });
    expect(await after.lease.show()).toMatchObject({ owner: 'a' });
  });
});

describe('a file that is taken away under us', () => {
  it('is noticed by the next write, which is refused, and the lease with it', async () => {
    const store = await opened();
    await store.lease.acquire();
    await store.mailbox.spool([message('m1')], 1);
    await rm(path);
    const error = await errorOf(store.mailbox.spool([message('m2')], 2));
    expect(error).toMatchObject({
      code: 'lease-lost',
      message: expect.stringContaining('removed or replaced'),
    });
    await store.lease.lost;
  });
});

describe('opening', () => {
  it('may be done by two, who do not block each other', async () => {
    await during(async () => {});
    const [a, b] = await Promise.all([opened(), opened({ owner: holder('b', 1_001), startOf })]);
    await a.lease.acquire();
    const both: Promise<unknown>[] = [];
    for (let n = 0; n < 10; n += 1) {
      both.push(a.mailbox.spool([message(`m${n}`)], 1), b.lease.acquire(), b.mailbox.counts());
    }
    await Promise.all(both);
    expect((await b.mailbox.counts()).messages.waiting).toBe(10);
  });

  // Blocked, the other could commit only after SQLite's own wait of 5 s.
  it('waits for another program that writes, without blocking this one', { timeout: 4_000 }, async () => {
    const store = await opened();
    await store.lease.acquire();
    const other = new BetterSqlite3(path);
    other.exec('begin immediate');
    let waited = true;
    const spooled = store.mailbox.spool([message('m1')], 1).finally(() => {
      waited = false;
    });
    await setImmediate();
    expect(waited).toBe(true);
    other.exec('commit');
    other.close();
    expect(await spooled).toEqual({ fresh: 1, known: 0 });
  });

  it('of a damaged file names it, and leaves it as it is', async () => {
    await mkdir(join(folder, 'state'));
    await writeFile(path, 'this is no database, '.repeat(1_000));
    const error = await errorOf(openStore(options()));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain(`${path} is damaged`);
    expect(error.hint).toContain('Move the file away');
    expect(await readFile(path, 'utf8')).toContain('this is no database');
  });

  it('of a file with a damaged page names it', async () => {
    await during(async (store) => {
      const batch = Array.from({ length: 300 }, (_, n) =>
        message(`m${n}`, '@alice', { text: 'x'.repeat(500) }),
      );
      await store.mailbox.spool(batch, 1);
    });
    // The header stays whole: only reading every page finds it.
    const file = await open(path, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(16_384, 0xa5), 0, 16_384, size - 32_768);
    await file.close();
    const error = await errorOf(openStore(options()));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain(`${path} is damaged`);
  });

  it('of a store that a newer version wrote changes nothing', async () => {
    await during((store) => store.mailbox.spool([message('m1')], 1));
    const raw = new BetterSqlite3(path);
    raw.prepare("insert into kysely_migration values ('2031-01-later', '2031-01-01T00:00:00.000Z')").run();
    const migrations = raw.prepare('select count(*) from kysely_migration').pluck().get();
    raw.close();
    for (const readOnly of [false, true]) {
      const error = await errorOf(openStore(options({ readOnly })));
      expect(error.code).toBe('store-unusable');
      expect(error.message).toContain('newer version');
      expect(error.message).toContain('2031-01-later');
      expect(error.hint).toContain('Update inbox-worker');
    }
    const after = new BetterSqlite3(path, { readonly: true });
    expect(after.prepare('select count(*) from kysely_migration').pluck().get()).toBe(migrations);
    expect(after.prepare('select count(*) from messages').pluck().get()).toBe(1);
    after.close();
  });

  it('of a store of the first version brings it up to date and keeps what it holds', async () => {
    const { db } = openSqlite(path, { readOnly: false });
    const provider = { getMigrations: async () => ({ '2026-11-first': firstSchema }) };
    expect(
      (await new Migrator({ db: db as Kysely<unknown>, provider }).migrateToLatest()).error,
    ).toBeUndefined();
    for (const statement of [
      sql`insert into claims (id, seq, conversation, slot, state, attempts, opened_at, settled_at, settled_as)
          values ('c1', 1, '@alice', 0, 'settled', 5, 1, 2, 'dead')`,
      sql`insert into messages (id, seq, conversation, sender, text, kind, state, spooled_at, claim_id, settled_at)
          values ('m1', 1, '@alice', '@alice', 'hello', 'agent', 'dead', 1, 'c1', 2)`,
      sql`insert into steps (claim_id, seq, state, at) values ('c1', 1, 'claimed', 1), ('c1', 2, 'dead', 2)`,
    ]) {
      await statement.execute(db);
    }
    await db.destroy();
    await during(async ({ mailbox }) => {
      expect(await mailbox.show('m1')).toMatchObject({ text: 'hello', state: 'dead', attempts: 5 });
      expect(await mailbox.reopen('m1', 9)).toEqual({ claimId: 'c1', messages: 1 });
      expect(await mailbox.claim({ at: 9, slot: 0, newId: 'c2' })).toMatchObject({ id: 'c1', attempts: 0 });
    });
    // And a second opening finds nothing left to do.
    await during(async ({ mailbox }) => expect((await mailbox.counts()).messages.claimed).toBe(1));
  });

  it('below something that is no folder says so', async () => {
    await writeFile(join(folder, 'state'), '');
    const error = await errorOf(openStore(options()));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain(path);
  });

  // Root may write anywhere, so this proves nothing for it.
  it.skipIf(process.getuid?.() === 0)('in a folder that may not be written says so', async () => {
    await mkdir(join(folder, 'state'), { mode: 0o500 });
    const error = await errorOf(openStore(options()));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain(`${path} cannot be opened for writing`);
  });
});

describe('a full disk', () => {
  it('refuses the write with a sentence, keeps what was there, and heals', async () => {
    const database = openSqlite(path, { readOnly: false });
    await migrate(database, path);
    const store = storeOver(database, path, options());
    stores.push(store);
    await store.lease.acquire();
    await store.mailbox.spool([message('m1')], 1);
    const before = await store.mailbox.counts();
    const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(database.db);
    // SQLite's own limit of pages gives the very error of a full disk; it never goes below what is there.
    await limit(1);
    const big = message('m2', '@bob', { text: 'x'.repeat(100_000) });
    const error = await errorOf(store.mailbox.spool([message('m3'), big], 2));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain('disk is full');
    expect(isDiskFull(error)).toBe(true);
    // Not even the message that had room.
    expect(await store.mailbox.counts()).toEqual(before);
    await limit(100_000);
    expect(await store.mailbox.spool([message('m3'), big], 3)).toEqual({ fresh: 2, known: 0 });
  });

  it('is told from other faults', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    expect(isDiskFull(full)).toBe(true);
    expect(isDiskFull(new WorkerError('store-unusable', 'x', { cause: full }))).toBe(true);
    expect(isDiskFull(new WorkerError('store-unusable', 'x'))).toBe(false);
    expect(isDiskFull(Object.assign(new Error('x'), { code: 'SQLITE_BUSY' }))).toBe(false);
    expect(isDiskFull('SQLITE_FULL')).toBe(false);
  });
});

describe('a store opened for reading only', () => {
  it('reads beside the worker, and can neither write nor take the lease', async () => {
    const worker = await opened();
    await worker.lease.acquire();
    await worker.mailbox.spool([message('m1')], 1);
    const reader = await opened({ readOnly: true, owner: holder('r', 1_002) });
    expect((await reader.mailbox.counts()).messages.waiting).toBe(1);
    await worker.mailbox.spool([message('m2')], 1);
    expect((await reader.mailbox.counts()).messages.waiting).toBe(2);
    expect(await reader.lease.show()).toMatchObject({ owner: 'a' });
    expect((await errorOf(reader.mailbox.spool([message('m3')], 1))).code).toBe('lease-lost');
    await worker.lease.release();
    expect((await errorOf(reader.lease.acquire())).code).toBe('store-unusable');
  });

  it('makes nothing where nothing is', async () => {
    const error = await errorOf(openStore(options({ readOnly: true })));
    expect(error.code).toBe('store-unusable');
    expect(error.message).toContain(`There is no store at ${path}`);
    await expect(stat(join(folder, 'state'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not bring an older schema up to date', async () => {
    await during(async () => {});
    const raw = new BetterSqlite3(path);
    raw.prepare('delete from kysely_migration where name = (select max(name) from kysely_migration)').run();
    raw.close();
    const error = await errorOf(openStore(options({ readOnly: true })));
    expect(error.message).toContain('older version');
  });
});

describe('a closed store', () => {
  it('lets what runs end, and takes nothing more', async () => {
    const store = await opened();
    await store.lease.acquire();
    const running = store.mailbox.spool([message('m1')], 1);
    await store.close();
    await store.close();
    expect(await running).toEqual({ fresh: 1, known: 0 });
    expect((await errorOf(store.mailbox.counts())).message).toContain('has been closed');
  });

  it('has not given the lease back', async () => {
    await during(async () => {});
    const other = await opened({ owner: holder('b', 1_001), startOf: () => 'start of 1000' });
    expect(await other.lease.acquire()).toMatchObject({ kind: 'held' });
  });
});
