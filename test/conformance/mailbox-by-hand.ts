// Rules of what a person does: listing, re-opening the dead, dropping, and deciding over unsure sends.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/mailbox/index.js';
import type { Settlement } from '../../src/ports/mailbox.js';
import { answered, type Bench, exchange, message, opened, reply, retryAt } from './mailbox.js';

const DEAD: Settlement = { kind: 'dead', error: 'too often', notice: undefined };
const usage = { code: 'usage' };
const ids = (list: readonly { id: string }[]): string[] => list.map((one) => one.id);

/** Messages m1 and m2 of @alice, dead in claim c1 after a failed attempt. */
async function died(bench: Bench): Promise<Store> {
  const store = await opened(bench);
  const { mailbox } = store;
  await mailbox.spool([message('m1'), message('m2')], 1_000);
  await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
  await mailbox.noteSession('c1', 's1');
  await mailbox.settle('c1', retryAt(1_100), 1_100);
  await mailbox.claim({ at: 1_100, slot: 0, newId: 'c9' });
  await mailbox.settle('c1', DEAD, 1_200);
  return store;
}

export function byHandRules(bench: () => Bench): void {
  describe('a list of messages', () => {
    it('holds those in the wished states, the last that came first', async () => {
      const { mailbox } = await opened(bench());
      await exchange({ mailbox } as Store, 'm1', DEAD, { conversation: '@alice' });
      await exchange({ mailbox } as Store, 'm2', answered('hi', '@bob'), { conversation: '@bob' });
      await exchange({ mailbox } as Store, 'm3', DEAD, { conversation: '@carol' });
      // Later in the list though earlier by its clock.
      await mailbox.spool([message('m4', '@dora')], 500);
      expect(ids(await mailbox.list({ states: ['dead'], limit: 9 }))).toEqual(['m3', 'm1']);
      expect(ids(await mailbox.list({ states: ['dead', 'waiting'], limit: 2 }))).toEqual(['m4', 'm3']);
      expect(await mailbox.list({ states: [], limit: 9 })).toEqual([]);
      expect(await mailbox.list({ states: ['dead'], limit: 1 })).toEqual([await mailbox.show('m3')]);
    });
  });

  describe('re-opening a dead message', () => {
    it('brings back its whole claim, due at once, with no attempt counted and the prompt in full', async () => {
      const { mailbox } = await died(bench());
      expect(await mailbox.reopen('m2', 5_000)).toEqual({ claimId: 'c1', messages: 2 });
      expect(await mailbox.show('m1')).toMatchObject({
        state: 'retry',
        attempts: 0,
        retryAt: 5_000,
        lastError: 'too often',
        settledAt: undefined,
      });
      expect((await mailbox.show('m1'))?.steps.slice(-2)).toEqual([
        { state: 'dead', at: 1_200, note: 'too often' },
        { state: 'retry', at: 5_000, note: 'reopened by hand' },
      ]);
      expect(await mailbox.nextRetryAt()).toBe(5_000);
      expect(await mailbox.counts()).toMatchObject({
        messages: { retry: 2, dead: 0 },
        oldestWaitingAt: 1_000,
      });
      const claim = await mailbox.claim({ at: 5_000, slot: 0, newId: 'c2' });
      expect(claim).toMatchObject({ id: 'c1', attempts: 0 });
      expect(claim?.before).toEqual({
        sessionId: undefined,
        promptKept: false,
        rescued: false,
        lastError: 'too often',
      });
      expect(claim && ids(claim.messages)).toEqual(['m1', 'm2']);
      await mailbox.settle('c1', answered('at last'), 6_000);
      expect(await mailbox.show('m2')).toMatchObject({ state: 'answered', attempts: 0 });
    });

    it('may be done again after another death', async () => {
      const { mailbox } = await died(bench());
      await mailbox.reopen('m1', 5_000);
      await mailbox.claim({ at: 5_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c1', DEAD, 5_500);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'dead', attempts: 1 });
      expect(await mailbox.reopen('m1', 6_000)).toEqual({ claimId: 'c1', messages: 2 });
    });

    it('goes before the waiting messages of its conversation', async () => {
      const { mailbox } = await died(bench());
      await mailbox.spool([message('m3')], 4_000);
      await mailbox.reopen('m1', 5_000);
      expect((await mailbox.claim({ at: 5_000, slot: 0, newId: 'c2' }))?.id).toBe('c1');
      expect(await mailbox.claim({ at: 5_000, slot: 0, newId: 'c2' })).toBeUndefined();
      await mailbox.settle('c1', answered('at last'), 6_000);
      expect((await mailbox.claim({ at: 6_000, slot: 0, newId: 'c2' }))?.id).toBe('c2');
    });

    it.each<[string, Settlement]>([
      ['an answer', answered('m3 first')],
      ['a silence', { kind: 'silent' }],
      ['a death', DEAD],
    ])(
      'waits behind another unsettled claim of its conversation, until %s ends it',
      async (_, settlement) => {
        const { mailbox } = await died(bench());
        await mailbox.spool([message('m3')], 2_000);
        await mailbox.claim({ at: 2_000, slot: 0, newId: 'c2' });
        await mailbox.reopen('m1', 5_000);
        expect(await mailbox.show('m1')).toMatchObject({ state: 'retry', retryAt: undefined, attempts: 0 });
        expect(await mailbox.nextRetryAt()).toBeUndefined();
        expect(ids(await mailbox.openClaims())).toEqual(['c2']);
        const claim = (at: number) => mailbox.claim({ at, slot: 0, newId: 'c3', prefer: '@alice' });
        expect(await claim(5_000)).toBeUndefined();
        // A retry is no end.
        await mailbox.settle('c2', retryAt(8_000), 5_500);
        expect(await mailbox.nextRetryAt()).toBe(8_000);
        expect(await claim(7_999)).toBeUndefined();
        expect((await claim(8_000))?.id).toBe('c2');
        await mailbox.settle('c2', settlement, 8_500);
        expect(await mailbox.nextRetryAt()).toBe(5_000);
        expect(await mailbox.show('m1')).toMatchObject({ state: 'retry', retryAt: 5_000 });
        expect(await claim(8_500)).toMatchObject({ id: 'c1', attempts: 0, before: { promptKept: false } });
        await mailbox.settle('c1', answered('m1 second'), 9_000);
        expect(await mailbox.show('m2')).toMatchObject({ state: 'answered' });
      },
    );

    it('waits for its turn among several, in the order they were first opened', async () => {
      const { mailbox } = await died(bench());
      await exchange({ mailbox } as Store, 'm3', DEAD, { at: 2_000 });
      await mailbox.reopen('m3', 5_000);
      await mailbox.reopen('m1', 5_100);
      expect((await mailbox.claim({ at: 9_000, slot: 0, newId: 'x' }))?.id).toBe('claim-m3');
      expect(await mailbox.claim({ at: 9_000, slot: 0, newId: 'x' })).toBeUndefined();
      await mailbox.drop('m2', 9_100);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'silent', retryAt: undefined });
      await mailbox.settle('claim-m3', { kind: 'silent' }, 9_200);
      expect(await mailbox.claim({ at: 9_300, slot: 0, newId: 'x' })).toBeUndefined();
    });

    it('leaves other conversations alone', async () => {
      const { mailbox } = await died(bench());
      await mailbox.spool([message('m3', '@bob')], 2_000);
      await mailbox.claim({ at: 2_000, slot: 0, newId: 'c2' });
      await mailbox.reopen('m1', 5_000);
      expect((await mailbox.claim({ at: 5_000, slot: 1, newId: 'c3' }))?.id).toBe('c1');
    });

    it('is refused for what is unknown or not dead, with nothing changed', async () => {
      const { mailbox } = await died(bench());
      await mailbox.spool([message('m3')], 2_000);
      await expect(mailbox.reopen('nobody', 5_000)).rejects.toMatchObject(usage);
      await expect(mailbox.reopen('m3', 5_000)).rejects.toMatchObject(usage);
      await mailbox.reopen('m1', 5_000);
      const before = await mailbox.show('m1');
      await expect(mailbox.reopen('m2', 6_000)).rejects.toMatchObject(usage);
      expect(await mailbox.show('m1')).toEqual(before);
    });
  });

  describe('dropping a message', () => {
    it('that waits lets it rest alone, and says so', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2')], 1_000);
      expect(await mailbox.drop('m1', 5_000)).toEqual({ messages: 1 });
      expect(await mailbox.show('m1')).toMatchObject({
        state: 'silent',
        settledAt: 5_000,
        claimId: undefined,
      });
      expect((await mailbox.show('m1'))?.steps.at(-1)).toEqual({
        state: 'silent',
        at: 5_000,
        note: 'dropped by hand',
      });
      const claim = await mailbox.claim({ at: 5_000, slot: 0, newId: 'c1' });
      expect(claim && ids(claim.messages)).toEqual(['m2']);
      // Known for good: it does not come back with the next look.
      expect(await mailbox.spool([message('m1')], 6_000)).toEqual({ fresh: 0, known: 1 });
    });

    it('that is to be tried again lets its whole claim rest', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2')], 1_000);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await mailbox.settle('c1', retryAt(9_000), 2_000);
      expect(await mailbox.drop('m2', 5_000)).toEqual({ messages: 2 });
      expect(await mailbox.show('m1')).toMatchObject({
        state: 'silent',
        settledAt: 5_000,
        retryAt: undefined,
      });
      expect((await mailbox.show('m1'))?.steps.at(-1)).toEqual({
        state: 'silent',
        at: 5_000,
        note: 'dropped by hand',
      });
      expect(await mailbox.nextRetryAt()).toBeUndefined();
      await mailbox.spool([message('m3')], 6_000);
      expect((await mailbox.claim({ at: 9_000, slot: 0, newId: 'c2' }))?.id).toBe('c2');
    });

    it('that is dead ends it for good, and it is part of no memory', async () => {
      const { mailbox } = await died(bench());
      expect(await mailbox.drop('m1', 5_000)).toEqual({ messages: 2 });
      expect((await mailbox.counts()).messages).toMatchObject({ dead: 0, silent: 2 });
      await expect(mailbox.reopen('m1', 6_000)).rejects.toMatchObject(usage);
      await exchange({ mailbox } as Store, 'm3', { kind: 'silent' }, { at: 6_000 });
      const memory = await mailbox.memory(
        { id: 'next', conversation: '@alice' },
        { exchanges: 9, chars: 999 },
      );
      expect(memory.map((one) => one.text)).toEqual(['text of m3']);
    });

    it('makes way for a re-opened claim that waited behind it', async () => {
      const { mailbox } = await died(bench());
      await mailbox.spool([message('m3')], 2_000);
      await mailbox.claim({ at: 2_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c2', retryAt(90_000), 3_000);
      await mailbox.reopen('m1', 5_000);
      await mailbox.drop('m3', 6_000);
      expect(await mailbox.nextRetryAt()).toBe(5_000);
      expect((await mailbox.claim({ at: 6_000, slot: 0, newId: 'c3' }))?.id).toBe('c1');
    });

    it('is refused for what is unknown, in its turn, or at its end, with nothing changed', async () => {
      const { mailbox } = await opened(bench());
      await expect(mailbox.drop('nobody', 5_000)).rejects.toMatchObject(usage);
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await expect(mailbox.drop('m1', 5_000)).rejects.toMatchObject(usage);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'claimed' });
      await mailbox.settle('c1', answered('done'), 6_000);
      await expect(mailbox.drop('m1', 7_000)).rejects.toMatchObject(usage);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'answered', settledAt: 6_000 });
      await mailbox.spool([message('m2')], 8_000, new Set(['m2']));
      await expect(mailbox.drop('m2', 9_000)).rejects.toMatchObject(usage);
    });
  });

  describe('an unsure send', () => {
    /** A claim with one send of two parts, the first unsure, and one more send of one part. */
    async function doubted(): Promise<Store & { first: number }> {
      const store = await opened(bench());
      await store.mailbox.spool([message('m1')], 1_000);
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      const send = { ...reply(['a1', 'a2']), claimId: 'c1', kind: 'reply', ordinal: 0 } as const;
      await store.outbox.commit(send, 2_000);
      await store.outbox.commit({ ...send, parts: ['b1'], ordinal: 1 }, 2_000);
      const first = (await store.outbox.next(2_000))?.id ?? 0;
      await store.outbox.record(first, { state: 'unsure', error: 'no answer' }, 2_100);
      return { ...store, first };
    }
    const states = async ({ outbox }: Store) => (await outbox.ofClaim('c1')).map((row) => row.state);

    it('is listed, the last committed first', async () => {
      const store = await doubted();
      const { outbox, first } = store;
      expect(await outbox.list({ states: ['unsure'], limit: 9 })).toMatchObject([{ id: first, text: 'a1' }]);
      const texts = async (limit: number) =>
        (await outbox.list({ states: ['queued', 'unsure'], limit })).map((row) => row.text);
      expect(await texts(9)).toEqual(['b1', 'a2', 'a1']);
      expect(await texts(1)).toEqual(['b1']);
      expect(await outbox.list({ states: [], limit: 9 })).toEqual([]);
    });

    it('sent again is due now, before the later parts', async () => {
      const store = await doubted();
      await store.outbox.settleUnsure(store.first, 'resend', 3_000);
      expect(await states(store)).toEqual(['queued', 'queued', 'queued']);
      expect(await store.outbox.nextDueAt()).toBe(3_000);
      expect(await store.outbox.next(3_000)).toMatchObject({ id: store.first, text: 'a1', attempts: 1 });
    });

    it('dropped is refused with the later parts of its send, and no other', async () => {
      const store = await doubted();
      await store.outbox.settleUnsure(store.first, 'drop', 3_000);
      expect(await states(store)).toEqual(['refused', 'refused', 'queued']);
      expect((await store.outbox.ofClaim('c1'))[0]).toMatchObject({ lastError: 'dropped by hand' });
      expect(await store.outbox.next(3_000)).toMatchObject({ text: 'b1' });
    });

    it('waits while its target is being sent to', async () => {
      const { outbox, first } = await doubted();
      await outbox.settleUnsure(first, 'drop', 3_000);
      const b1 = (await outbox.next(3_000))?.id ?? 0;
      await outbox.record(b1, { state: 'unsure' }, 3_000);
      await outbox.commit({ ...reply('c'), claimId: 'c1', kind: 'interim', ordinal: 0 }, 3_100);
      expect(await outbox.next(3_200)).toMatchObject({ text: 'c' });
      await outbox.settleUnsure(b1, 'resend', 3_200);
      expect(await outbox.next(3_300)).toBeUndefined();
      expect(await outbox.nextDueAt()).toBeUndefined();
    });

    it('only: what is unknown or decided is refused, with nothing changed', async () => {
      const store = await doubted();
      for (const id of [999, store.first + 1]) {
        for (const how of ['resend', 'drop'] as const) {
          await expect(store.outbox.settleUnsure(id, how, 3_000)).rejects.toMatchObject(usage);
        }
      }
      expect(await states(store)).toEqual(['unsure', 'queued', 'queued']);
    });
  });
}
