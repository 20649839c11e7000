// Rules of the lease and of the fence that every write passes.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/mailbox/index.js';
import { type Bench, HEARTBEAT_MS, holder, message, opened, reply, retryAt, STALE_MS } from './mailbox.js';

const ALICE = holder('a');
const BOB = holder('b', 1_001);
const DEAD = holder('dead', 9_999);

/** Every write there is, as one that would be legal for the holder of the lease. */
const writes: [string, (store: Store) => Promise<unknown>][] = [
  ['spool', ({ mailbox }) => mailbox.spool([message('m9', '@carol')], 1)],
  ['spool of nothing', ({ mailbox }) => mailbox.spool([], 1)],
  ['claim', ({ mailbox }) => mailbox.claim({ at: 1, slot: 0, newId: 'c9' })],
  ['noteSession', ({ mailbox }) => mailbox.noteSession('c1', 's1')],
  ['settle', ({ mailbox }) => mailbox.settle('c1', { kind: 'silent' }, 1)],
  ['settle to retry', ({ mailbox }) => mailbox.settle('c1', retryAt(1), 1)],
  ['commit', ({ outbox }) => outbox.commit({ ...reply('hi'), claimId: 'c1', kind: 'reply', ordinal: 0 }, 1)],
  ['notice', ({ outbox }) => outbox.notice({ name: 'n', about: 'm1', to: '@alice', parts: ['soon'] }, 1)],
  ['next', ({ outbox }) => outbox.next(9_999)],
  ['record', ({ outbox }) => outbox.record(1, { state: 'sent' }, 1)],
  ['recover', ({ outbox }) => outbox.recover('queued')],
  ['reopen', ({ mailbox }) => mailbox.reopen('m3', 1)],
  ['drop of a waiting message', ({ mailbox }) => mailbox.drop('m2', 1)],
  ['drop of a claim', ({ mailbox }) => mailbox.drop('m3', 1)],
  ['settleUnsure', ({ outbox }) => outbox.settleUnsure(2, 'resend', 1)],
  ['ledger begin', ({ ledger }) => ledger.begin({ ...TURN, id: 't2' })],
  [
    'ledger end',
    ({ ledger }) =>
      ledger.end('t1', { endedAt: 1, sessionId: undefined, verdict: '', outcome: '', usage: USAGE }),
  ],
  ['slot save', ({ slots }) => slots.save({ ...SLOT, pid: 7 })],
  ['remember', ({ deliveries }) => deliveries.remember('d1', 1)],
];

const USAGE = { costUsd: 1, inputTokens: 1, outputTokens: 1, modelCalls: 1 };
const SLOT = {
  slot: 0,
  pid: 1,
  processStart: 'x',
  sessionId: undefined,
  conversation: undefined,
  wear: undefined,
};
const TURN = {
  id: 't1',
  claimId: 'c1',
  conversation: '@alice',
  slot: 0,
  sessionId: undefined,
  startedAt: 1,
  promptBytes: 1,
};

async function filled(store: Store): Promise<void> {
  await store.mailbox.spool([message('m1'), message('m2', '@bob')], 1);
  await store.mailbox.claim({ at: 1, slot: 0, newId: 'c1' });
  await store.outbox.commit({ ...reply('on it'), claimId: 'c1', kind: 'interim', ordinal: 0 }, 1);
  await store.outbox.next(1);
  await store.outbox.commit({ ...reply('?', '@zoe'), claimId: 'c1', kind: 'other', ordinal: 0 }, 1);
  await store.outbox.next(1);
  await store.outbox.record(2, { state: 'unsure' }, 1);
  await store.mailbox.spool([message('m3', '@dora')], 1);
  await store.mailbox.claim({ at: 1, slot: 0, newId: 'c3', prefer: '@dora' });
  await store.mailbox.settle('c3', { kind: 'dead', error: 'no', notice: undefined }, 1);
  await store.ledger.begin(TURN);
  await store.slots.save(SLOT);
}

async function everything(store: Store): Promise<unknown[]> {
  const { mailbox, outbox, ledger, slots } = store;
  return [
    await mailbox.counts(),
    await mailbox.openClaims(),
    await mailbox.show('m1'),
    await mailbox.show('m2'),
    await mailbox.show('m3'),
    await outbox.ofClaim('c1'),
    await ledger.recent(9),
    await slots.load(0),
  ];
}

export function leaseRules(bench: () => Bench): void {
  describe('the lease', () => {
    it('is free at first, and shows who took it', async () => {
      const store = await bench().open({ owner: ALICE });
      expect(await store.lease.show()).toBeUndefined();
      expect(await store.lease.acquire()).toEqual({ kind: 'acquired', generation: 1, how: 'free' });
      const { owner, ...place } = ALICE;
      const at = bench().clock.now();
      expect(await store.lease.show()).toEqual({
        owner,
        generation: 1,
        acquiredAt: at,
        heartbeatAt: at,
        holder: place,
      });
    });

    it('tells who held it last, and when it was given back', async () => {
      const store = await bench().open({ owner: ALICE });
      expect(await store.lease.last()).toBeUndefined();
      await store.lease.acquire();
      const row = await store.lease.show();
      expect(await store.lease.last()).toEqual({ row, releasedAt: undefined });
      await bench().clock.advance(5_000);
      await store.lease.release();
      expect(await store.lease.show()).toBeUndefined();
      expect(await store.lease.last()).toEqual({ row, releasedAt: bench().clock.now() });
    });

    it('is held against a second worker, who can read and not write', async () => {
      const a = await bench().open({ owner: ALICE });
      const b = await bench().open({ owner: BOB });
      await a.lease.acquire();
      await a.mailbox.spool([message('m1')], 1);
      expect(await b.lease.acquire()).toEqual({ kind: 'held', by: await a.lease.show() });
      expect((await b.mailbox.counts()).messages.waiting).toBe(1);
      await expect(b.mailbox.spool([message('m2')], 1)).rejects.toMatchObject({ code: 'lease-lost' });
    });

    it('is taken from its owner by hand, from that owner alone, whose next write is refused', async () => {
      const a = await bench().open({ owner: ALICE });
      const b = await bench().open({ owner: BOB });
      expect(await b.lease.evict(ALICE.owner)).toBe(false);
      await a.lease.acquire();
      expect(await b.lease.evict(BOB.owner)).toBe(false);
      expect(await b.lease.evict(ALICE.owner)).toBe(true);
      expect(await b.lease.show()).toBeUndefined();
      await expect(a.mailbox.spool([message('m1')], 1)).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await b.lease.acquire()).toMatchObject({ kind: 'acquired', generation: 2, how: 'free' });
    });

    it('is still ours when taken again', async () => {
      const a = await bench().open({ owner: ALICE });
      await a.lease.acquire();
      const acquiredAt = bench().clock.now();
      await bench().clock.advance(1_000);
      expect(await a.lease.acquire()).toEqual({ kind: 'acquired', generation: 1, how: 'ours' });
      expect(await a.lease.show()).toMatchObject({ acquiredAt, heartbeatAt: acquiredAt + 1_000 });
      await a.mailbox.spool([message('m1')], 1);
    });

    it('given back is free for the next, with a new generation', async () => {
      const a = await bench().open({ owner: ALICE });
      const b = await bench().open({ owner: BOB });
      await a.lease.acquire();
      await a.lease.release();
      await a.lease.release();
      expect(await b.lease.show()).toBeUndefined();
      expect(await b.lease.acquire()).toEqual({ kind: 'acquired', generation: 2, how: 'free' });
      await expect(a.mailbox.spool([message('m1')], 1)).rejects.toMatchObject({ code: 'lease-lost' });
      await a.lease.release();
      expect(await b.lease.show()).toMatchObject({ owner: 'b' });
    });

    it('of an owner that is provably dead is taken at once', async () => {
      const dead = await bench().open({ owner: DEAD });
      const b = await bench().open({ owner: BOB });
      await dead.lease.acquire();
      expect(await b.lease.acquire()).toEqual({ kind: 'acquired', generation: 2, how: 'dead-owner' });
    });

    it('of an owner elsewhere is taken only when stale', async () => {
      const far = await bench().open({ owner: { ...DEAD, host: 'elsewhere' } });
      const b = await bench().open({ owner: BOB });
      await far.lease.acquire();
      await bench().clock.advance(STALE_MS);
      expect(await b.lease.acquire()).toMatchObject({ kind: 'held' });
      await bench().clock.advance(1);
      expect(await b.lease.acquire()).toEqual({ kind: 'acquired', generation: 2, how: 'stale' });
    });

    it('is kept by its heartbeat', async () => {
      const a = await bench().open({ owner: ALICE, beating: true });
      const b = await bench().open({ owner: BOB });
      await a.lease.acquire();
      const start = bench().clock.now();
      for (const at of [start + STALE_MS - 1, start + 2 * STALE_MS - 2]) {
        await bench().clock.advanceTo(at);
        await expect
          .poll(async () => (await a.lease.show())?.heartbeatAt)
          .toBeGreaterThanOrEqual(at - HEARTBEAT_MS);
      }
      expect(await b.lease.acquire()).toMatchObject({ kind: 'held' });
    });

    it('taken by another is noticed by the heartbeat', async () => {
      const dead = await bench().open({ owner: DEAD, beating: true });
      const b = await bench().open({ owner: BOB });
      await dead.lease.acquire();
      await b.lease.acquire();
      await bench().clock.advance(HEARTBEAT_MS);
      expect(await dead.lease.lost).toMatchObject({ owner: 'b', generation: 2 });
    });

    it('taken by another is noticed by the next write, and can be won back', async () => {
      const a = await bench().open({ owner: ALICE });
      const b = await bench().open({ owner: BOB });
      await a.lease.acquire();
      await bench().clock.advance(STALE_MS + 1);
      await b.lease.acquire();
      await expect(a.mailbox.spool([message('m1')], 1)).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await a.lease.lost).toMatchObject({ owner: 'b' });
      await b.lease.release();
      expect(await a.lease.acquire()).toEqual({ kind: 'acquired', generation: 3, how: 'free' });
      let lost = false;
      void a.lease.lost.then(() => {
        lost = true;
      });
      await a.mailbox.spool([message('m1')], 1);
      expect(lost).toBe(false);
    });

    it('given back by ourselves is not lost', async () => {
      const a = await bench().open({ owner: ALICE, beating: true });
      const b = await bench().open({ owner: BOB });
      await a.lease.acquire();
      let lost = false;
      void a.lease.lost.then(() => {
        lost = true;
      });
      await a.lease.release();
      await b.lease.acquire();
      await bench().clock.advance(2 * HEARTBEAT_MS);
      await expect(a.mailbox.spool([], 1)).rejects.toMatchObject({ code: 'lease-lost' });
      expect(lost).toBe(false);
    });
  });

  describe('the fence', () => {
    it.each(writes)('refuses %s before the lease is taken', async (_, write) => {
      const a = await opened(bench());
      await filled(a);
      const before = await everything(a);
      const b = await bench().open({ owner: BOB });
      await expect(write(b)).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await everything(a)).toEqual(before);
    });

    it.each(writes)('refuses a late %s of a former owner', async (_, write) => {
      const late = await bench().open({ owner: ALICE });
      await late.lease.acquire();
      await filled(late);
      const before = await everything(late);
      await bench().clock.advance(STALE_MS + 1);
      const b = await bench().open({ owner: BOB });
      expect(await b.lease.acquire()).toMatchObject({ how: 'stale' });
      await expect(write(late)).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await everything(b)).toEqual(before);
    });

    it('refuses a late write of the same owner’s earlier generation', async () => {
      const late = await bench().open({ owner: ALICE });
      const b = await bench().open({ owner: BOB });
      const again = await bench().open({ owner: ALICE });
      await late.lease.acquire();
      await bench().clock.advance(STALE_MS + 1);
      await b.lease.acquire();
      await b.lease.release();
      expect(await again.lease.acquire()).toMatchObject({ generation: 3 });
      await expect(late.mailbox.spool([message('m1')], 1)).rejects.toMatchObject({ code: 'lease-lost' });
      await again.mailbox.spool([message('m1')], 1);
    });

    it.each(writes)('lets %s of the holder pass', async (_, write) => {
      const store = await opened(bench());
      await filled(store);
      await write(store);
    });
  });
}
