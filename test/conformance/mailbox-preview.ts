// Rules of what is asked and changes nothing: what came in and ended since an instant, and what would be claimed.
import { describe, expect, it } from 'vitest';
import { answered, type Bench, message, opened, retryAt } from './mailbox.js';

export function previewRules(bench: () => Bench): void {
  describe('the tally', () => {
    it('counts what came in and what ended at or after an instant', async () => {
      const { mailbox } = await opened(bench());
      const nothing = { in: 0, answered: 0, silent: 0, dead: 0 };
      expect(await mailbox.tally(0)).toEqual(nothing);
      await mailbox.spool([message('m1'), message('m2', '@bob')], 1_000);
      await mailbox.spool([message('m3', '@eve'), message('m4', '@carol')], 2_000, new Set(['m3']));
      await mailbox.claim({ at: 3_000, slot: 0, newId: 'c1' });
      await mailbox.settle('c1', answered('hi'), 4_000);
      await mailbox.claim({ at: 4_000, slot: 0, newId: 'c2' });
      await mailbox.settle('c2', { kind: 'dead', error: 'no', notice: undefined }, 5_000);
      expect(await mailbox.tally(0)).toEqual({ in: 4, answered: 1, silent: 1, dead: 1 });
      expect(await mailbox.tally(2_000)).toEqual({ in: 2, answered: 1, silent: 1, dead: 1 });
      expect(await mailbox.tally(4_001)).toEqual({ in: 0, answered: 0, silent: 0, dead: 1 });
      expect(await mailbox.tally(5_001)).toEqual(nothing);
    });

    it('no longer counts as dead what was tried again', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await mailbox.settle('c1', { kind: 'dead', error: 'no', notice: undefined }, 2_000);
      await mailbox.reopen('m1', 3_000);
      expect(await mailbox.tally(0)).toEqual({ in: 1, answered: 0, silent: 0, dead: 0 });
    });
  });

  describe('what would be claimed', () => {
    it('is nothing where nothing waits', async () => {
      const { mailbox } = await opened(bench());
      expect(await mailbox.upcoming({ at: 1_000, limit: 9 })).toEqual([]);
    });

    it('comes in the order of claims: due retries, what waits, later retries; and stays as it was', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1', '@late'), message('m2', '@due')], 1_000);
      for (const [id, retry] of [
        ['c1', retryAt(9_000)],
        ['c2', retryAt(2_000)],
      ] as const) {
        await mailbox.claim({ at: 1_000, slot: 0, newId: id });
        await mailbox.settle(id, retry, 1_000);
      }
      await mailbox.spool([message('m3', '@bob'), message('m4', '@carol'), message('m5', '@bob')], 3_000);
      // It waits for the next claim of its conversation, which has one.
      await mailbox.spool([message('m6', '@due')], 3_000);
      const before = await mailbox.counts();
      const upcoming = await mailbox.upcoming({ at: 4_000, limit: 9 });
      expect(
        upcoming.map(({ id, conversation, messages, dueAt }) => [
          id,
          conversation,
          messages.map((m) => m.id),
          dueAt,
        ]),
      ).toEqual([
        ['c2', '@due', ['m2'], undefined],
        [undefined, '@bob', ['m3', 'm5'], undefined],
        [undefined, '@carol', ['m4'], undefined],
        ['c1', '@late', ['m1'], 9_000],
      ]);
      expect(upcoming[0]).toMatchObject({ attempts: 1, before: { promptKept: expect.any(Boolean) } });
      expect(upcoming[1]).toMatchObject({ attempts: 0, before: undefined });
      expect(await mailbox.counts()).toEqual(before);
      expect(await mailbox.upcoming({ at: 4_000, limit: 2 })).toEqual(upcoming.slice(0, 2));
      for (const conversation of ['@due', '@bob', '@carol', undefined]) {
        const claim = await mailbox.claim({ at: 4_000, slot: 0, newId: `new ${conversation}` });
        expect(claim?.conversation).toBe(conversation);
      }
    });

    it('is told to a reader who holds no lease', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      const reader = await bench().open();
      expect(await reader.mailbox.upcoming({ at: 1_000, limit: 1 })).toMatchObject([
        { conversation: '@alice' },
      ]);
      expect((await reader.mailbox.tally(0)).in).toBe(1);
    });
  });
}
