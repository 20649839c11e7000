import { expect, it } from 'vitest';
import { afterTurn, freshWear, isWorn } from '../../src/domain/session-care.js';

const limits = { turns: 3, ageMs: 1_000, contextTokens: 100 } as const;

it('wears out by turns, by age, or by the size of its history, whichever comes first', () => {
  const young = freshWear(0);
  expect(isWorn(young, limits, 999)).toBe(false);
  expect(isWorn(young, limits, 1_000)).toBe(true);
  expect(isWorn({ ...young, turns: 3 }, limits, 0)).toBe(true);
  expect(isWorn({ ...young, contextTokens: 100 }, limits, 0)).toBe(true);
  const none = { turns: 'unlimited', ageMs: 'unlimited', contextTokens: 'unlimited' } as const;
  expect(isWorn({ turns: 1e9, startedAt: 0, contextTokens: 1e9 }, none, 1e12)).toBe(false);
});

it('keeps what is known of the history when a turn does not tell', () => {
  expect(afterTurn(afterTurn(freshWear(5), 80), undefined)).toEqual({
    turns: 2,
    startedAt: 5,
    contextTokens: 80,
  });
});
