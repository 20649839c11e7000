// PostgreSQL's own troubles: a line that breaks at a commit, a server that goes and comes, and what it refuses.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { openStore, type Store } from '../../src/mailbox/index.js';
import { withNul, withoutNul } from '../../src/mailbox/nul.js';
import { answered, holder, message, startOf } from '../conformance/mailbox.js';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.js';
import { postgresMissing, startPostgres, type TestPostgres } from '../support/postgres.js';
import { VirtualClock } from '../support/virtual-clock.js';

it('every text comes back from PostgreSQL as it was, and none reaches it with a NUL', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\0', '\uE000', '0', '1', 'x') }), (text) => {
      const written = withoutNul(text) as string;
      expect(written).not.toContain('\0');
      expect(withNul(written)).toBe(text);
    }),
  );
});

describe.skipIf(postgresMissing)('on a real server', () => {
  let server: TestPostgres;
  let proxy: CuttingProxy;
  let schemas = 0;
  let schema: string;
  const stores: Store[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.close());
  beforeEach(async () => {
    proxy = await startCuttingProxy(server.port);
    schemas += 1;
    schema = `trouble_${schemas}`;
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await proxy.close();
  });

  const open = async (url = server.url.replace(`:${server.port}`, `:${proxy.port}`), owner = 'a') => {
    const store = await openStore({
      path: 'not used',
      postgres: { url, schema },
      clock: new VirtualClock(),
      owner: holder(owner),
      heartbeatMs: 2 ** 31 - 1,
      startOf,
    });
    stores.push(store);
    return store;
  };
  const opened = async (): Promise<Store> => {
    const store = await open();
    await store.lease.acquire();
    return store;
  };
  const errorOf = async (work: Promise<unknown>): Promise<WorkerError> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(WorkerError);
    return error as WorkerError;
  };

  it('a commit whose answer was lost is found to be made, and told as made', async () => {
    const { mailbox } = await opened();
    proxy.cut('commit', 'after');
    expect(await mailbox.spool([message('m1')], 1)).toEqual({ fresh: 1, known: 0 });
    expect((await mailbox.counts()).messages.waiting).toBe(1);
  });

  it('a commit that the server never heard of is refused, with nothing written', async () => {
    const { mailbox } = await opened();
    proxy.cut('commit', 'before');
    expect(await errorOf(mailbox.spool([message('m1')], 1))).toMatchObject({ code: 'store-unreachable' });
    expect(await mailbox.spool([message('m1')], 2)).toEqual({ fresh: 1, known: 0 });
  });

  it('an answer is settled once, whichever side of the commit the line broke', async () => {
    const { mailbox, outbox } = await opened();
    for (const [id, when] of [
      ['m1', 'after'],
      ['m2', 'before'],
    ] as const) {
      await mailbox.spool([message(id)], 1);
      await mailbox.claim({ at: 1, slot: 0, newId: `claim-${id}` });
      proxy.cut('commit', when);
      const settled = mailbox.settle(`claim-${id}`, answered(`to ${id}`), 2);
      if (when === 'after') await settled;
      else {
        await errorOf(settled);
        await mailbox.settle(`claim-${id}`, answered(`to ${id}`), 3);
      }
    }
    const sends = await outbox.list({ states: ['queued'], limit: 10 });
    expect(sends.map((row) => row.text).toSorted()).toEqual(['to m1', 'to m2']);
  });

  it('a server that is away is told in a sentence, and the store goes on when it is back', async () => {
    const { mailbox } = await opened();
    await server.stop('immediate');
    const error = await errorOf(mailbox.counts());
    expect(error).toMatchObject({ code: 'store-unreachable' });
    expect(error.message).toMatch(/^The PostgreSQL database 127\.0\.0\.1:\d+\/postgres .* cannot be reached/);
    await server.start();
    expect(await mailbox.spool([message('m1')], 1)).toEqual({ fresh: 1, known: 0 });
  });

  it('of two owners one writes, on whatever connection', async () => {
    const first = await opened();
    const second = await open(server.url, 'b');
    expect(await second.lease.acquire()).toMatchObject({ kind: 'held', by: { owner: 'a' } });
    await second.lease.evict('a');
    await second.lease.acquire();
    expect(await errorOf(first.mailbox.spool([message('m1')], 1))).toMatchObject({ code: 'lease-lost' });
    expect((await first.mailbox.counts()).messages.waiting).toBe(0);
  });

  it('a command that only looks makes nothing', async () => {
    const looking = { path: '', clock: new VirtualClock(), owner: holder('x'), readOnly: true } as const;
    const error = await errorOf(openStore({ ...looking, postgres: { url: server.url, schema: 'nowhere' } }));
    expect(error.message).toContain('There is no store in the PostgreSQL database');
    const again = await errorOf(openStore({ ...looking, postgres: { url: server.url, schema: 'nowhere' } }));
    expect(again.message).toBe(error.message);
  });

  it.each([
    ['postgres://worker@127.0.0.1:PORT/nowhere', 'does not exist', /createdb/],
    ['postgres://stranger:secret@127.0.0.1:PORT/postgres', 'refuses the login', /user and password/],
    ['mysql://worker@127.0.0.1:PORT/postgres', 'no address of a PostgreSQL database', /postgres:\/\//],
    ['postgres://worker:secret@127.0.0.1:1/postgres', 'cannot be reached', /database_url/],
  ])('%s is refused in a sentence, without its password', async (url, text, hint) => {
    const error = await errorOf(open(url.replace('PORT', String(server.port))));
    expect(error.message).toContain(text);
    expect(error.hint).toMatch(hint);
    expect(error.message + error.hint).not.toContain('secret');
  });
});
