import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveSleepMs, nextSleepMs, type Pulse } from '../../src/domain/backoff.js';

const limits = { minMs: 60_000, stepMs: 60_000, maxMs: 3_600_000, unprovenMaxMs: 60_000 };
const pulses = fc.constantFrom<Pulse>('mail', 'settled', 'did-work', 'empty', 'failed');

describe('idle backoff', () => {
  it('adds a step at each empty look, up to the longest sleep', () => {
    let sleep = limits.minMs;
    const seen: number[] = [];
    for (let look = 0; look < 61; look += 1) {
      sleep = nextSleepMs(sleep, 'empty', limits);
      seen.push(sleep);
    }
    expect(seen.slice(0, 3)).toEqual([120_000, 180_000, 240_000]);
    expect(seen.at(-1)).toBe(3_600_000);
  });

  it('stays within its limits, and mail, settled work and did-work begin again at the shortest', () => {
    fc.assert(
      fc.property(fc.array(pulses), (sequence) => {
        let sleep = limits.minMs;
        for (const pulse of sequence) {
          const before = sleep;
          sleep = nextSleepMs(sleep, pulse, limits);
          expect(sleep).toBeGreaterThanOrEqual(limits.minMs);
          expect(sleep).toBeLessThanOrEqual(limits.maxMs);
          if (pulse === 'empty') expect(sleep).toBeGreaterThanOrEqual(before);
          else if (pulse !== 'failed') expect(sleep).toBe(limits.minMs);
        }
      }),
    );
  });

  it('sleeps at most 60 s while no wake source is proven live, unless MAX was set on purpose', () => {
    expect(effectiveSleepMs(3_600_000, false, limits)).toBe(60_000);
    expect(effectiveSleepMs(3_600_000, true, limits)).toBe(3_600_000);
    expect(effectiveSleepMs(3_600_000, false, { ...limits, unprovenMaxMs: undefined })).toBe(3_600_000);
  });
});
