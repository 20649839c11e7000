// Rules of the smaller parts: ledger, slots, deliveries.
import { describe, expect, it } from 'vitest';
import type { TurnRecord, TurnResult } from '../../src/ports/ledger.js';
import { type Bench, opened } from './mailbox.js';

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
      const whole = { slot: 0, pid: 42, processStart: '99', sessionId: 's1', conversation: '@alice' };
      const bare = {
        slot: 1,
        pid: undefined,
        processStart: undefined,
        sessionId: undefined,
        conversation: undefined,
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
