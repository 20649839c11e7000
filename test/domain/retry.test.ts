import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelayMs } from '../../src/domain/retry.js';

const limits = { baseMs: 10_000, maxMs: 600_000 };

it('doubles from the base up to the longest delay', () => {
  const full = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((failures) => retryDelayMs(failures, limits, 1));
  expect(full).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000, 600_000]);
});

it('jitters downwards by at most a quarter, and never past the limits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, random) => {
        const delay = retryDelayMs(n, limits, random);
        expect(delay).toBeGreaterThanOrEqual(7_500);
        expect(delay).toBeLessThanOrEqual(600_000);
      },
    ),
  );
});
