// Rules of the smaller parts: ledger, slots, deliveries.
import { describe, expect, it } from 'vitest';
import type { TurnRecord, TurnResult } from '../../src/ports/ledger.js';
import { type Bench, message, opened } from './mailbox.js';

const turn = (id: string, startedAt: number): TurnRecord => ({
  id,
  claimId: `claim of ${id}`,
  conversation: '@alice',
  slot: 0,
  sessionId: undefined,
  startedAt,
  promptBytes: 1_234,
});

const result = (more: Partial<TurnResult> = {}): TurnResult => ({
  endedAt: 9_000,
  sessionId: 's1',
  verdict: 'answered',
  outcome: 'completed',
  usage: { costUsd: 0.25, inputTokens: 100, outputTokens: 20, modelCalls: 2 },
  ...more,
});

export function recordRules(bench: () => Bench): void {
  describe('the ledger', () => {
    it('sums the turns since an instant, unfinished ones with nothing spent', async () => {
      const { ledger } = await opened(bench());
      const nothing = { turns: 0, costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 };
      expect(await ledger.totals(0)).toEqual(nothing);
      for (const at of [1_000, 2_000, 3_000]) await ledger.begin(turn(`t${at}`, at));
      await ledger.end('t1000', result());
      await ledger.end('t2000', result());
      expect(await ledger.totals(0)).toEqual({
        turns: 3,
        costUsd: 0.5,
        inputTokens: 200,
        outputTokens: 40,
        modelCalls: 4,
      });
      expect(await ledger.totals(2_000)).toMatchObject({ turns: 2, costUsd: 0.25 });
      expect(await ledger.totals(3_001)).toEqual(nothing);
    });

    it('shows the last turns, newest first', async () => {
      const { ledger } = await opened(bench());
      await ledger.begin({ ...turn('t1', 1_000), sessionId: 's0' });
      await ledger.end('t1', result({ sessionId: undefined }));
      await ledger.begin(turn('t2', 500));
      await ledger.begin(turn('t3', 800));
      await ledger.end('t3', result());
      expect(await ledger.recent(2)).toEqual([{ ...turn('t3', 800), ...result() }, turn('t2', 500)]);
      expect((await ledger.recent(9))[2]).toEqual({ ...turn('t1', 1_000), ...result({ sessionId: 's0' }) });
    });

    it('tells what was spent since an instant: of all, of a conversation, of a claim', async () => {
      const { ledger } = await opened(bench());
      expect(await ledger.spent({ since: 0 })).toEqual({ usd: 0, tokens: 0 });
      await ledger.begin({ ...turn('t1', 1_000), claimId: 'c1' });
      await ledger.begin({ ...turn('t2', 2_000), claimId: 'c1' });
      await ledger.begin({ ...turn('t3', 3_000), claimId: 'c2', conversation: '@bob' });
      await ledger.begin({ ...turn('t4', 4_000), claimId: 'c2', conversation: '@bob' });
      for (const id of ['t1', 't2', 't3']) await ledger.end(id, result());
      expect(await ledger.spent({ since: 0 })).toEqual({ usd: 0.75, tokens: 360 });
      expect(await ledger.spent({ since: 1_001 })).toEqual({ usd: 0.5, tokens: 240 });
      expect(await ledger.spent({ since: 0, conversation: '@alice' })).toEqual({ usd: 0.5, tokens: 240 });
      expect(await ledger.spent({ since: 1_001, claimId: 'c1' })).toEqual({ usd: 0.25, tokens: 120 });
      // One turn of it still runs.
      expect(await ledger.spent({ since: 0, claimId: 'c2' })).toEqual({ usd: 0.25, tokens: 120 });
      const nothing = { usd: 0, tokens: 0 };
      expect(await ledger.spent({ since: 0, conversation: '@alice', claimId: 'c2' })).toEqual(nothing);
      expect(await ledger.spent({ since: 0, conversation: '' })).toEqual(nothing);
    });

    it('tells what a sender has cost: every turn of a claim that holds a message of theirs, once', async () => {
      const { ledger, mailbox } = await opened(bench());
      const ops = { conversation: '#ops' };
      await mailbox.spool(
        [
          message('m1', '#ops', { sender: '@bob' }),
          message('m2', '#ops', { sender: '@bob' }),
          message('m3', '#ops', { sender: '@carol' }),
          message('m4', '@dora'),
        ],
        1_000,
      );
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c2' });
      for (const [id, claimId] of [
        ['t1', 'c1'],
        ['t2', 'c1'],
        ['t3', 'c2'],
      ] as const) {
        await ledger.begin({ ...turn(id, 2_000), ...(claimId === 'c1' ? ops : {}), claimId });
        await ledger.end(id, result());
      }
      expect(await ledger.spent({ since: 0, sender: '@bob' })).toEqual({ usd: 0.5, tokens: 240 });
      expect(await ledger.spent({ since: 0, sender: '@carol' })).toEqual({ usd: 0.5, tokens: 240 });
      expect(await ledger.spent({ since: 0, sender: '@dora' })).toEqual({ usd: 0.25, tokens: 120 });
      expect(await ledger.spent({ since: 2_001, sender: '@dora' })).toEqual({ usd: 0, tokens: 0 });
      expect(await ledger.spent({ since: 0, sender: '@nobody' })).toEqual({ usd: 0, tokens: 0 });
      await mailbox.spool([message('m5', '@eve')], 3_000);
      expect(await ledger.spent({ since: 0, sender: '@eve' })).toEqual({ usd: 0, tokens: 0 });
    });

    it('tells when the answered turns of a conversation ended', async () => {
      const { ledger } = await opened(bench());
      const ends = [
        ['t1', '@alice', 'answered', 3_000],
        ['t2', '@alice', 'retry', 2_500],
        ['t3', '@alice', 'answered', 2_000],
        ['t4', '@bob', 'answered', 2_200],
        ['t5', '@alice', 'silent', 2_300],
      ] as const;
      for (const [id, conversation, verdict, endedAt] of ends) {
        await ledger.begin({ ...turn(id, 1_000), conversation });
        await ledger.end(id, result({ verdict, endedAt }));
      }
      await ledger.begin(turn('t6', 1_000));
      // A silent one was paid for as well; one that is tried again was not the last word.
      expect(await ledger.turnEnds('@alice', 0)).toEqual([2_000, 2_300, 3_000]);
      expect(await ledger.turnEnds('@alice', 2_001)).toEqual([2_300, 3_000]);
      expect(await ledger.turnEnds('@alice', 3_000)).toEqual([3_000]);
      expect(await ledger.turnEnds('@alice', 3_001)).toEqual([]);
      expect(await ledger.turnEnds('@carol', 0)).toEqual([]);
    });

    it('shows the turns of a claim, oldest first', async () => {
      const { ledger } = await opened(bench());
      await ledger.begin({ ...turn('t1', 2_000), claimId: 'c1' });
      await ledger.begin({ ...turn('t2', 1_000), claimId: 'c2' });
      await ledger.begin({ ...turn('t3', 1_000), claimId: 'c1' });
      await ledger.end('t1', result());
      expect(await ledger.ofClaim('c1')).toEqual([
        { ...turn('t1', 2_000), claimId: 'c1', ...result() },
        { ...turn('t3', 1_000), claimId: 'c1' },
      ]);
      expect(await ledger.ofClaim('c3')).toEqual([]);
    });

    it('counts a turn once, however often it ends', async () => {
      const { ledger } = await opened(bench());
      await ledger.begin(turn('t1', 1_000));
      await ledger.end('t1', result());
      await ledger.end('t1', result());
      expect(await ledger.totals(0)).toMatchObject({ turns: 1, modelCalls: 2 });
    });

    it('refuses a turn that begins twice or ends unbegun', async () => {
      const { ledger } = await opened(bench());
      await ledger.begin(turn('t1', 1_000));
      await expect(ledger.begin(turn('t1', 2_000))).rejects.toMatchObject({ code: 'internal' });
      await expect(ledger.end('t2', result())).rejects.toMatchObject({ code: 'internal' });
    });
  });

  describe('slots', () => {
    it('remember the last thing saved, each its own', async () => {
      const { slots } = await opened(bench());
      expect(await slots.load(0)).toBeUndefined();
      const whole = {
        slot: 0,
        pid: 42,
        processStart: '99',
        sessionId: 's1',
        conversation: '@alice',
        wear: { turns: 3, startedAt: 1_700_000_000_000, contextTokens: 5 },
      };
      const bare = {
        slot: 1,
        pid: undefined,
        processStart: undefined,
        sessionId: undefined,
        conversation: undefined,
        wear: undefined,
      };
      await slots.save(whole);
      await slots.save(bare);
      expect(await slots.load(0)).toEqual(whole);
      await slots.save({ ...bare, slot: 0, sessionId: 's2' });
      expect(await slots.load(0)).toEqual({ ...bare, slot: 0, sessionId: 's2' });
      expect(await slots.load(1)).toEqual(bare);
    });
  });

  describe('deliveries', () => {
    it('are new once', async () => {
      const { deliveries } = await opened(bench());
      expect(await deliveries.remember('d1', 1_000)).toBe(true);
      expect(await deliveries.remember('d2', 1_000)).toBe(true);
      expect(await deliveries.remember('d1', 2_000)).toBe(false);
    });

    it('are forgotten beyond the newest 5,000', async () => {
      const { deliveries } = await opened(bench());
      for (let n = 0; n <= 5_000; n += 1) await deliveries.remember(`d${n}`, n);
      expect(await deliveries.remember('d1', 6_000)).toBe(false);
      expect(await deliveries.remember('d0', 6_000)).toBe(true);
      expect(await deliveries.remember('d1', 6_000)).toBe(true);
      // 5,000 synced commits: a slow disk needs its time.
    }, 120_000);
  });
}
