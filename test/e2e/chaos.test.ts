// A short run of chaos; `npm run chaos` makes longer ones.
import { describe, expect, it } from 'vitest';
import { isGoodRun, table } from '../chaos/report.js';
import { runChaos } from '../chaos/run-chaos.js';

describe('chaos', () => {
  it('of worker, Claude, inbox, webhooks and model: nothing lost, doubled or dead', async () => {
    const report = await runChaos({
      seed: 1,
      vocabulary: 'dms',
      messages: 20,
      postingMs: 24_000,
      killEveryMs: 3_000,
      longBursts: false,
      patienceMs: 60_000,
      keep: false,
      tell: () => {},
      signal: new AbortController().signal,
    });
    expect(isGoodRun(report), table(report)).toBe(true);
    expect(report.messages).toBe(20);
    expect(report.kills.total).toBeGreaterThan(2);
    expect(report.troubles.total).toBeGreaterThan(2);
  });
});
