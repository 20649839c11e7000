// Runs the store's conformance suite over a real PostgreSQL, each test in a schema of its own.
import { afterAll, beforeAll, describe } from 'vitest';
import { openStore, type Store } from '../../src/mailbox/index.js';
import { postgresMissing, startPostgres, type TestPostgres } from '../support/postgres.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { holder, mailboxConformance, STALE_MS, startOf } from './mailbox.js';

const NEVER_MS = 2 ** 31 - 1;
const REAL_HEARTBEAT_MS = 5;

describe.skipIf(postgresMissing)('with a real server', () => {
  let server: TestPostgres;
  let benches = 0;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.close());

  mailboxConformance('PostgreSQL', async () => {
    const clock = new VirtualClock();
    const postgres = { url: server.url, schema: 'bench', now: async () => clock.now() };
    if (benches > 0) await server.truncate('bench');
    benches += 1;
    const stores: Store[] = [];
    return {
      clock,
      async open(wishes = { owner: holder('a') }) {
        const heartbeatMs = wishes.beating ? REAL_HEARTBEAT_MS : NEVER_MS;
        const store = await openStore({
          path: 'not used',
          postgres,
          clock,
          owner: wishes.owner,
          staleMs: STALE_MS,
          heartbeatMs,
          startOf,
        });
        stores.push(store);
        return store;
      },
      async close() {
        for (const store of stores) await store.close();
      },
    };
  });
});

if (postgresMissing) console.warn(`skipped: ${postgresMissing}`);
