import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAY,
  dayOf,
  fill,
  quantile,
  RANGES,
  spentOfDay,
  usual,
} from '../../../src/control/dashboard/page/figures.js';
import { NO_USAGE } from '../../../src/domain/turn.js';
import type { Bucket } from '../../../src/ports/reports.js';

const START = 20_000 * DAY;
const HOUR = 3_600_000;
const bucket = (at: number, costUsd: number, turns = 1): Bucket => ({ ...NO_USAGE, at, turns, costUsd });

describe('the buckets of a span', () => {
  it('are all there, also those in which nothing was done', () => {
    const span = { from: START + HOUR, to: START + 4 * HOUR };
    expect(fill([bucket(START + 2 * HOUR, 0.5, 3), bucket(START, 9)], span, HOUR)).toEqual({
      at: [1, 2, 3].map((n) => START + n * HOUR),
      turns: [0, 3, 0],
      modelCalls: [0, 0, 0],
      costUsd: [0, 0.5, 0],
    });
  });

  it('begin with the one that the span begins in', () => {
    expect(fill([], { from: START + HOUR + 1, to: START + 2 * HOUR + 1 }, HOUR).at).toEqual([
      START + HOUR,
      START + 2 * HOUR,
    ]);
  });
});

describe('the spending of a day', () => {
  it('adds up, and begins anew at midnight UTC', () => {
    const buckets = [bucket(START, 1), bucket(START + 23 * HOUR, 2), bucket(START + DAY + HOUR, 4)];
    const span = { from: START + 22 * HOUR, to: START + DAY + 3 * HOUR };
    expect(spentOfDay(buckets, span, HOUR)).toEqual([1, 3, 0, 4, 4]);
  });

  it('has a value for each bucket of the span, whatever the range and the time', () => {
    const instant = fc.integer({ min: START, max: START + 3 * DAY });
    fc.assert(
      fc.property(instant, fc.constantFrom(...RANGES), (now, { ms, bucketMs }) => {
        const to = now - (now % bucketMs) + bucketMs;
        const span = { from: to - ms, to };
        const { at } = fill([], span, bucketMs);
        expect(spentOfDay([bucket(at.at(-1) ?? 0, 1)], span, bucketMs)).toEqual([
          ...at.slice(1).map(() => 0),
          1,
        ]);
        expect(at).toHaveLength(ms / bucketMs);
        // What the worker is asked for: from midnight on, and no more buckets than it gives.
        expect((to - dayOf(span.from)) / bucketMs).toBeLessThanOrEqual(2_000);
      }),
    );
  });
});

describe('what is usual', () => {
  it('is the median, and what nineteen of twenty stay within', () => {
    const ms = Array.from({ length: 20 }, (_, n) => (20 - n) * 100);
    expect(usual(ms.map((one) => ({ id: 'm', conversation: '@a', at: 0, ms: one })))).toEqual({
      median: 1_000,
      most: 1_900,
    });
    expect(usual([])).toBeUndefined();
    expect(quantile([7], 0)).toBe(7);
    expect(quantile([1, 2], 1)).toBe(2);
  });
});
