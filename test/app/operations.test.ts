import { expect, it } from 'vitest';
import { storeOperations } from '../../src/app/operations.js';
import { answered, exchange, holder, message } from '../conformance/mailbox.js';
import { MemoryDisk, openMemoryStore } from '../support/memory-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

async function opened() {
  const clock = new VirtualClock();
  const store = openMemoryStore({ disk: new MemoryDisk(), clock, owner: holder('a') });
  await store.lease.acquire();
  return { clock, store, operations: storeOperations(store, clock) };
}

it('lists messages in pages, and says whether there are more', async () => {
  const { store, operations } = await opened();
  await store.mailbox.spool(
    ['m1', 'm2', 'm3'].map((id) => message(id)),
    1_000,
  );
  const first = await operations.messages({ limit: 2 });
  expect(first).toMatchObject({ messages: [{ id: 'm3' }, { id: 'm2' }], more: true });
  const second = await operations.messages({ limit: 2, before: first.messages.at(-1)?.seq });
  expect(second).toMatchObject({ messages: [{ id: 'm1' }], more: false });
  expect(await operations.messages({ limit: 3 })).toMatchObject({ more: false });
});

it('tells of each turn the messages it worked on', async () => {
  const { store, operations } = await opened();
  await exchange(store, 'm1', answered('hi'));
  await exchange(store, 'm2', answered('ho', '@bob'), { conversation: '@bob' });
  for (const [id, claimId] of [
    ['t1', 'claim-m1'],
    ['t2', 'claim-m2'],
    ['t3', 'claim of nobody'],
  ] as const) {
    await store.ledger.begin({
      id,
      claimId,
      conversation: '@alice',
      slot: 0,
      sessionId: undefined,
      startedAt: 1_000,
      promptBytes: 7,
    });
  }
  expect(await operations.turns(9)).toMatchObject([
    { id: 't3', messages: [] },
    { id: 't2', messages: ['m2'] },
    { id: 't1', messages: ['m1'] },
  ]);
});

it('counts the turns of conversations from midnight UTC on', async () => {
  const { clock, store, operations } = await opened();
  await store.mailbox.spool([message('m1')], clock.now());
  const midnight = clock.now() - (clock.now() % 86_400_000);
  for (const [id, startedAt] of [
    ['t1', midnight - 1],
    ['t2', midnight],
  ] as const) {
    const begun = { id, claimId: 'c', conversation: '@alice', slot: 0, sessionId: undefined, promptBytes: 7 };
    await store.ledger.begin({ ...begun, startedAt });
  }
  expect(await operations.conversations()).toMatchObject({ conversations: [{ turns: 1 }], total: 1 });
});
