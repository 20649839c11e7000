// Rules of spooling and claiming.
import { describe, expect, it } from 'vitest';
import { answered, type Bench, message, opened, retryAt } from './mailbox.js';

const now = { at: 1_000, slot: 0 };
const ids = (claim: { messages: readonly { id: string }[] } | undefined): string[] | undefined =>
  claim?.messages.map((one) => one.id);

export function claimRules(bench: () => Bench): void {
  describe('spooling', () => {
    it('keeps two messages apart whose server counts anew in each conversation', async () => {
      const { mailbox } = await opened(bench());
      const batch = [message('1', '@alice'), message('1', '@bob')];
      expect(await mailbox.spool(batch, 1_000)).toEqual({ fresh: 2, known: 0 });
      expect(await mailbox.spool(batch, 2_000)).toEqual({ fresh: 0, known: 2 });
      expect((await mailbox.show('@bob/1'))?.conversation).toBe('@bob');
    });

    it('counts what is new, and leaves a known message as it is', async () => {
      const { mailbox } = await opened(bench());
      const batch = [message('m1'), message('m2', '@bob')];
      expect(await mailbox.spool(batch, 1_000)).toEqual({ fresh: 2, known: 0 });
      expect(await mailbox.spool(batch, 2_000)).toEqual({ fresh: 0, known: 2 });
      const again = [message('m1', '@alice', { text: 'other' }), message('m3'), message('m3')];
      expect(await mailbox.spool(again, 3_000, new Set(['m1']))).toEqual({ fresh: 1, known: 2 });
      expect(await mailbox.show('m1')).toMatchObject({
        text: 'text of m1',
        state: 'waiting',
        spooledAt: 1_000,
      });
    });

    it('keeps all that the upstream told', async () => {
      const { mailbox } = await opened(bench());
      const whole = message('m1', '#ops', {
        sender: '@bob',
        text: 'Grüße\n\u2028 \u{1f600} "quoted" \u0000 end',
        replyTo: '@bob/thread',
        sentAt: 1_796_000_000_123,
      });
      await mailbox.spool([whole], 1_796_000_000_999);
      expect(await mailbox.show('m1')).toMatchObject({ ...whole, spooledAt: 1_796_000_000_999 });
      expect(await mailbox.show('m2')).toBeUndefined();
    });

    it('lets silent messages rest without a claim', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2')], 1_000, new Set(['m1']));
      expect(ids(await mailbox.claim({ ...now, newId: 'c1' }))).toEqual(['m2']);
      expect(await mailbox.show('m1')).toMatchObject({
        state: 'silent',
        claimId: undefined,
        settledAt: 1_000,
        steps: [
          { state: 'waiting', at: 1_000 },
          { state: 'silent', at: 1_000 },
        ],
      });
    });

    it('takes an empty batch', async () => {
      const { mailbox } = await opened(bench());
      expect(await mailbox.spool([], 1_000)).toEqual({ fresh: 0, known: 0 });
    });
  });

  describe('claiming', () => {
    it('takes all waiting messages of one conversation in the order of arrival', async () => {
      const { mailbox } = await opened(bench());
      // Later instants do not make earlier arrivals: clocks jump.
      await mailbox.spool([message('m9'), message('m1', '@bob')], 5_000);
      await mailbox.spool([message('m5'), message('m3')], 1_000);
      const claim = await mailbox.claim({ ...now, newId: 'c1' });
      expect(claim).toMatchObject({ id: 'c1', conversation: '@alice', attempts: 0, before: undefined });
      expect(ids(claim)).toEqual(['m9', 'm5', 'm3']);
      expect(claim?.messages.map((one) => one.state)).toEqual(['claimed', 'claimed', 'claimed']);
    });

    it('goes on to the next conversation, and to none when all are taken', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2', '@bob')], 1_000);
      expect((await mailbox.claim({ ...now, newId: 'c1' }))?.conversation).toBe('@alice');
      expect((await mailbox.claim({ ...now, newId: 'c2' }))?.conversation).toBe('@bob');
      expect(await mailbox.claim({ ...now, newId: 'c3' })).toBeUndefined();
    });

    it('lets later messages wait until the claim of their conversation is settled', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.claim({ ...now, newId: 'c1' });
      await mailbox.spool([message('m2')], 2_000);
      expect(await mailbox.claim({ ...now, newId: 'c2' })).toBeUndefined();
      await mailbox.settle('c1', retryAt(9_000), 3_000);
      expect(await mailbox.claim({ ...now, newId: 'c2' })).toBeUndefined();
      expect(ids(await mailbox.claim({ at: 9_000, slot: 0, newId: 'c2' }))).toEqual(['m1']);
      await mailbox.settle('c1', answered('done'), 9_500);
      expect(ids(await mailbox.claim({ ...now, newId: 'c2' }))).toEqual(['m2']);
    });

    it('takes the preferred conversation first where it is claimable', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2', '@bob'), message('m3', '@carol')], 1_000);
      expect((await mailbox.claim({ ...now, newId: 'c1', prefer: '@carol' }))?.id).toBe('c1');
      expect((await mailbox.claim({ ...now, newId: 'c2', prefer: '@carol' }))?.conversation).toBe('@alice');
      expect((await mailbox.claim({ ...now, newId: 'c3', prefer: '@nobody' }))?.conversation).toBe('@bob');
    });

    it('never gives one id to two claims', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2', '@bob')], 1_000);
      await mailbox.claim({ ...now, newId: 'c1' });
      await expect(mailbox.claim({ ...now, newId: 'c1' })).rejects.toMatchObject({ code: 'internal' });
      expect(await mailbox.show('m2')).toMatchObject({ state: 'waiting' });
    });
  });

  describe('retrying', () => {
    it('re-opens the same claim with the same messages and what the attempt before left', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2')], 1_000);
      await mailbox.claim({ ...now, newId: 'c1' });
      await mailbox.spool([message('m3')], 1_500);
      const before = { sessionId: 's1', promptKept: true, rescued: true, lastError: 'we died' };
      await mailbox.settle('c1', retryAt(5_000, { before }), 2_000);
      expect(await mailbox.nextRetryAt()).toBe(5_000);
      expect(await mailbox.claim({ at: 4_999, slot: 0, newId: 'c2' })).toBeUndefined();

      const again = await mailbox.claim({ at: 5_000, slot: 1, newId: 'c2' });
      expect(again).toMatchObject({ id: 'c1', conversation: '@alice', attempts: 1, before });
      expect(ids(again)).toEqual(['m1', 'm2']);
      expect(await mailbox.nextRetryAt()).toBeUndefined();
    });

    it('counts only the attempts that count', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      for (const [round, countsAttempt] of [true, false, true].entries()) {
        await mailbox.claim({ ...now, newId: `c${round}` });
        await mailbox.settle('c0', retryAt(0, { countsAttempt }), 1_000);
      }
      expect(await mailbox.claim({ ...now, newId: 'c9' })).toMatchObject({ id: 'c0', attempts: 2 });
    });

    it('takes due retries before fresh messages, the one due longest first', async () => {
      const { mailbox } = await opened(bench());
      for (const name of ['alice', 'bob', 'carol']) {
        await mailbox.spool([message(`m-${name}`, `@${name}`)], 1_000);
        await mailbox.claim({ ...now, newId: name });
      }
      await mailbox.settle('alice', retryAt(8_000), 2_000);
      await mailbox.settle('bob', retryAt(7_000), 2_000);
      await mailbox.settle('carol', retryAt(20_000), 2_000);
      await mailbox.spool([message('m-dora', '@dora')], 1_000);
      expect(await mailbox.nextRetryAt()).toBe(7_000);
      const at = 10_000;
      expect((await mailbox.claim({ at, slot: 0, newId: 'x1' }))?.id).toBe('bob');
      expect((await mailbox.claim({ at, slot: 0, newId: 'x2' }))?.id).toBe('alice');
      expect((await mailbox.claim({ at, slot: 0, newId: 'x3' }))?.conversation).toBe('@dora');
      expect(await mailbox.claim({ at, slot: 0, newId: 'x4', prefer: '@carol' })).toBeUndefined();
    });
  });

  describe('sessions', () => {
    it('tell recovery what ran, and are forgotten at the next attempt', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2', '@bob')], 1_000);
      await mailbox.claim({ ...now, newId: 'c1' });
      await mailbox.claim({ ...now, newId: 'c2' });
      await mailbox.noteSession('c2', 's2');
      const open = await mailbox.openClaims();
      expect(open.map(({ id, sessionId }) => [id, sessionId])).toEqual([
        ['c1', undefined],
        ['c2', 's2'],
      ]);
      expect(open.map(ids)).toEqual([['m1'], ['m2']]);
      await mailbox.settle('c2', retryAt(1_000), 1_000);
      await mailbox.claim({ ...now, newId: 'c3' });
      const [, again] = await mailbox.openClaims();
      expect(again).toMatchObject({ id: 'c2', sessionId: undefined, before: { sessionId: 'session-1' } });
    });

    it('are noted for open claims only', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.claim({ ...now, newId: 'c1' });
      await mailbox.settle('c1', { kind: 'silent' }, 1_000);
      await expect(mailbox.noteSession('c1', 's1')).rejects.toMatchObject({ code: 'internal' });
      await expect(mailbox.noteSession('c2', 's1')).rejects.toMatchObject({ code: 'internal' });
    });
  });
}
