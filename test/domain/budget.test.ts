import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cap, exceeded, isLimited, NO_CAP, windowEnd, windowStart } from '../../src/domain/budget.js';
import { restUntil } from '../../src/domain/loop-guard.js';

const amount = fc.oneof(
  fc.constant<'unlimited'>('unlimited'),
  fc.double({ min: 0.01, max: 100, noNaN: true }),
);
const cap: fc.Arbitrary<Cap> = fc.record({ usd: amount, tokens: amount });
const spend = fc.record({ usd: fc.double({ min: 0, max: 200, noNaN: true }), tokens: fc.nat(1_000_000) });

describe('budgets', () => {
  it('stop at the cap, never before it, and spending more never frees anything', () => {
    fc.assert(
      fc.property(spend, spend, cap, (spent, more, limit) => {
        const over = exceeded(spent, limit) !== undefined;
        const overUsd = limit.usd !== 'unlimited' && spent.usd >= limit.usd;
        const overTokens = limit.tokens !== 'unlimited' && spent.tokens >= limit.tokens;
        expect(over).toBe(overUsd || overTokens);
        const total = { usd: spent.usd + more.usd, tokens: spent.tokens + more.tokens };
        if (over) expect(exceeded(total, limit)).toBeDefined();
      }),
    );
  });

  it('say what was spent of what', () => {
    expect(exceeded({ usd: 5.021, tokens: 0 }, { usd: 5, tokens: 'unlimited' })).toBe('$5.02 of $5.00');
    expect(exceeded({ usd: 0, tokens: 12 }, { usd: 'unlimited', tokens: 10 })).toBe('12 of 10 tokens');
    expect(exceeded({ usd: 1e9, tokens: 1e12 }, NO_CAP)).toBeUndefined();
    expect(isLimited(NO_CAP)).toBe(false);
  });

  it('have windows that every instant falls into exactly one of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom('hour', 'day'), (now, window) => {
        const [start, end] = [windowStart(window, now), windowEnd(window, now)];
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(windowStart(window, end)).toBe(end);
      }),
    );
  });
});

describe('the loop guard', () => {
  const limit = { turns: 3, windowMs: 1_000 };

  it('rests a conversation until so many turns have left the window that one fits', () => {
    expect(restUntil([100, 200], 900, limit)).toBeUndefined();
    expect(restUntil([300, 100, 200], 900, limit)).toBe(1_100);
    expect(restUntil([100, 200, 300, 400], 900, limit)).toBe(1_200);
    expect(restUntil([100, 200, 300, 400], 900, { ...limit, turns: 'unlimited' })).toBeUndefined();
  });

  it('never lets more turns into a window than it allows, and always lets the next one in some time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 60 }), (gaps) => {
        const went: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const rest = restUntil(went, now, limit);
          if (rest === undefined) went.push(now);
          else {
            expect(rest).toBeGreaterThan(now);
            expect(restUntil(went, rest, limit)).toBeUndefined();
          }
        }
        for (const at of went) {
          expect(
            went.filter((other) => other > at - limit.windowMs && other <= at).length,
          ).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
