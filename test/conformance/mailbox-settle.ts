// Rules of settling, and what is told of a message afterwards.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/mailbox/index.js';
import type { Settlement } from '../../src/ports/mailbox.js';
import { answered, type Bench, message, opened, reply, retryAt } from './mailbox.js';

async function claimed(bench: Bench): Promise<Store> {
  const store = await opened(bench);
  await store.mailbox.spool([message('m1'), message('m2')], 1_000);
  await store.mailbox.claim({ at: 2_000, slot: 0, newId: 'c1' });
  return store;
}

export function settleRules(bench: () => Bench): void {
  describe('settling', () => {
    it('as answered commits the reply with the states', async () => {
      const { mailbox, outbox } = await claimed(bench());
      const text = { to: '@alice/thread', parts: ['one ', 'two'], replyToId: 'm2' };
      await mailbox.settle('c1', { kind: 'answered', reply: text }, 3_000);
      expect(await mailbox.counts()).toEqual({
        messages: { waiting: 0, claimed: 0, retry: 0, answered: 2, silent: 0, dead: 0 },
        oldestWaitingAt: undefined,
      });
      expect(await outbox.ofClaim('c1')).toMatchObject([
        { to: '@alice/thread', text: 'one ', kind: 'reply', ordinal: 0, part: 0, replyToId: 'm2' },
        { to: '@alice/thread', text: 'two', kind: 'reply', ordinal: 0, part: 1, state: 'queued' },
      ]);
      expect(await mailbox.openClaims()).toEqual([]);
    });

    it('as answered numbers the final text after the replies sent in the turn', async () => {
      const { mailbox, outbox } = await claimed(bench());
      for (const ordinal of [0, 1]) {
        await outbox.commit({ ...reply('early'), claimId: 'c1', kind: 'reply', ordinal }, 2_500);
      }
      await mailbox.settle('c1', answered('late'), 3_000);
      expect((await outbox.ofClaim('c1')).map((row) => row.ordinal)).toEqual([0, 1, 2]);
    });

    it('as answered without a text needs a reply in the outbox', async () => {
      const { mailbox, outbox } = await claimed(bench());
      await outbox.commit({ ...reply('on it'), claimId: 'c1', kind: 'interim', ordinal: 0 }, 2_500);
      const settlement: Settlement = { kind: 'answered', reply: undefined };
      await expect(mailbox.settle('c1', settlement, 3_000)).rejects.toMatchObject({ code: 'internal' });
      expect(await mailbox.show('m1')).toMatchObject({ state: 'claimed' });
      await outbox.commit({ ...reply('done'), claimId: 'c1', kind: 'reply', ordinal: 0 }, 2_500);
      await mailbox.settle('c1', settlement, 3_000);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'answered', settledAt: 3_000 });
    });

    it('with an empty text changes nothing', async () => {
      const { mailbox, outbox } = await claimed(bench());
      const settlement: Settlement = { kind: 'answered', reply: reply([]) };
      await expect(mailbox.settle('c1', settlement, 3_000)).rejects.toMatchObject({ code: 'internal' });
      expect(await mailbox.show('m1')).toMatchObject({ state: 'claimed' });
      expect(await outbox.ofClaim('c1')).toEqual([]);
    });

    it('as dead keeps the error, counts the last attempt and tells the sender', async () => {
      const { mailbox, outbox } = await claimed(bench());
      await outbox.commit({ ...reply('on it'), claimId: 'c1', kind: 'interim', ordinal: 0 }, 2_500);
      await mailbox.settle('c1', { kind: 'dead', error: 'too often', notice: reply('Sorry.') }, 3_000);
      expect(await mailbox.show('m2')).toMatchObject({
        state: 'dead',
        attempts: 1,
        lastError: 'too often',
        retryAt: undefined,
        settledAt: 3_000,
      });
      expect((await outbox.ofClaim('c1')).map((row) => [row.kind, row.ordinal, row.text])).toEqual([
        ['interim', 0, 'on it'],
        ['notice', 0, 'Sorry.'],
      ]);
      await mailbox.spool([message('m3')], 4_000);
      expect(await mailbox.claim({ at: 4_000, slot: 0, newId: 'c2' })).toMatchObject({ id: 'c2' });
    });

    it('as dead without a notice, or as silent, sends nothing', async () => {
      const { mailbox, outbox } = await claimed(bench());
      await mailbox.settle('c1', { kind: 'silent' }, 3_000);
      await mailbox.spool([message('m3')], 4_000);
      await mailbox.claim({ at: 4_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c2', { kind: 'dead', error: 'no', notice: undefined }, 5_000);
      expect(await outbox.counts()).toEqual({ queued: 0, sending: 0, sent: 0, refused: 0, unsure: 0 });
      expect((await mailbox.counts()).messages).toMatchObject({ silent: 2, dead: 1 });
    });

    it.each<Settlement>([
      answered('again'),
      { kind: 'silent' },
      { kind: 'dead', error: 'no', notice: reply('Sorry.') },
      retryAt(1_000),
    ])('a claim that is not open is refused: %o', async (settlement) => {
      const { mailbox, outbox } = await claimed(bench());
      const refused = { code: 'internal' };
      await expect(mailbox.settle('unknown', settlement, 3_000)).rejects.toMatchObject(refused);
      await mailbox.settle('c1', retryAt(9_000), 3_000);
      await expect(mailbox.settle('c1', settlement, 3_000)).rejects.toMatchObject(refused);
      await mailbox.claim({ at: 9_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c1', { kind: 'silent' }, 9_000);
      await expect(mailbox.settle('c1', settlement, 9_500)).rejects.toMatchObject(refused);
      expect(await outbox.ofClaim('c1')).toEqual([]);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'silent', settledAt: 9_000 });
    });
  });

  describe('a message', () => {
    it('can tell its life', async () => {
      const { mailbox } = await claimed(bench());
      await mailbox.settle('c1', retryAt(9_000, { error: 'overloaded' }), 3_000);
      expect(await mailbox.show('m1')).toMatchObject({ state: 'retry', retryAt: 9_000, attempts: 1 });
      await mailbox.claim({ at: 9_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c1', answered('done'), 10_000);
      expect(await mailbox.show('m1')).toMatchObject({
        ...message('m1'),
        state: 'answered',
        claimId: 'c1',
        attempts: 1,
        retryAt: undefined,
        lastError: 'overloaded',
        spooledAt: 1_000,
        claimedAt: 2_000,
        settledAt: 10_000,
        steps: [
          { state: 'waiting', at: 1_000, note: undefined },
          { state: 'claimed', at: 2_000, note: undefined },
          { state: 'retry', at: 3_000, note: 'overloaded' },
          { state: 'claimed', at: 9_000, note: undefined },
          { state: 'answered', at: 10_000, note: undefined },
        ],
      });
    });

    it('is counted by state, the oldest unsettled one told apart', async () => {
      const { mailbox } = await claimed(bench());
      await mailbox.spool([message('m3', '@bob')], 500);
      expect(await mailbox.counts()).toEqual({
        messages: { waiting: 1, claimed: 2, retry: 0, answered: 0, silent: 0, dead: 0 },
        oldestWaitingAt: 500,
      });
      await mailbox.claim({ at: 2_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c2', { kind: 'dead', error: 'no', notice: undefined }, 3_000);
      await mailbox.settle('c1', retryAt(9_000), 3_000);
      expect(await mailbox.counts()).toMatchObject({
        messages: { waiting: 0, claimed: 0, retry: 2, dead: 1 },
        oldestWaitingAt: 1_000,
      });
    });
  });
}
