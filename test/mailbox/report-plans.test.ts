// A dashboard asks every few seconds, in the worker's own process: what SQLite plans for it with a long past.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { type CompiledQuery, Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/mailbox/index.js';
import { StoreReports } from '../../src/mailbox/reports.js';
import type { Tables } from '../../src/mailbox/tables.js';
import { holder } from '../conformance/mailbox.js';
import { fillStore } from '../support/fill-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const UNTIL = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const PEOPLE = Array.from({ length: 300 }, (_, n) => `@person-${n}`);

let folder: string;
let database: Database;
let asked: CompiledQuery[];
let reports: StoreReports;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plans-'));
  const path = join(folder, 'worker.db');
  await (await openStore({ path, clock: new VirtualClock(), owner: holder('a') })).close();
  fillStore(path, { messages: 2_000, people: PEOPLE, until: UNTIL });
  database = new BetterSqlite3(path, { readonly: true });
  asked = [];
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database }),
    log: ({ query }) => void asked.push(query),
  });
  reports = new StoreReports({ read: (work) => work(db), write: (work) => work(db) });
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

/** What SQLite does for all that was asked, a line a step. */
function plan(): string[] {
  return asked.flatMap(({ sql, parameters }) =>
    (database.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]).map(
      ({ detail }) => detail,
    ),
  );
}

/** Reads rows that are not wanted, texts and all. A covering index holds no texts and is a small part of the file. */
const wades = (step: string): boolean => /^SCAN (?!.*COVERING INDEX|.*lasts|.*USING INDEX)/.test(step);

describe('the reports on a store with a long past', () => {
  it('never read through a table', async () => {
    for (const states of [
      undefined,
      ['dead'],
      ['waiting', 'claimed', 'retry'],
      ['answered', 'silent'],
    ] as const) {
      for (const conversation of [undefined, '@person-1']) {
        for (const before of [undefined, 1_000]) {
          await reports.messages({ states, conversation, before, limit: 50 });
        }
      }
    }
    await reports.conversations({ since: UNTIL - DAY_MS, limit: 100 });
    await reports.idsLike('message-0019', 10);
    await reports.idsOf(['claim-1', 'claim-2']);
    await reports.series({ from: UNTIL - DAY_MS, to: UNTIL, bucketMs: 900_000 });
    await reports.latencies({ from: UNTIL - DAY_MS, to: UNTIL, limit: 2_000 });
    const steps = plan();
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter(wades)).toEqual([]);
  });

  it('ask for the replies of one claim by the claim, not by the kind of send', async () => {
    await reports.messages({ limit: 50 });
    await reports.latencies({ from: UNTIL - DAY_MS, to: UNTIL, limit: 2_000 });
    const [line, span, ...earlier] = plan().filter((step) => /outbox|earlier/.test(step));
    expect(line).toMatch(/outbox_by_kind \(claim_id=\? AND kind=\?/);
    expect(span).toMatch(/outbox_by_sending \(kind=\? AND sent_at>\?/);
    expect(earlier.length).toBeGreaterThan(0);
    expect(earlier.filter((step) => !step.includes('(claim_id=? AND '))).toEqual([]);
  });

  it('sort places, not texts', async () => {
    await reports.messages({ states: ['answered', 'silent'], limit: 50 });
    const [places, lines] = asked.map(({ sql }) => sql);
    expect(places).toMatch(/^select "seq" from "messages"/);
    expect(lines).toMatch(/"messages"\."seq" in \(/);
  });

  it('would be told: a plan that wades can be seen', () => {
    expect(wades('SCAN messages')).toBe(true);
    expect(wades('SCAN messages USING COVERING INDEX messages_by_state')).toBe(false);
    expect(wades('SEARCH messages USING INDEX messages_by_state (state=?)')).toBe(false);
  });
});
