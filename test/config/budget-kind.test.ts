import { describe, expect, it } from 'vitest';
import { budget } from '../../src/config/budget-kind.js';

const context = { base: '/', home: '/' };

describe('a budget', () => {
  it.each([
    ['$5', { usd: 5, tokens: 'unlimited' }],
    ['5 USD', { usd: 5, tokens: 'unlimited' }],
    ['0.25$', { usd: 0.25, tokens: 'unlimited' }],
    ['2M tokens', { usd: 'unlimited', tokens: 2_000_000 }],
    ['500k tokens', { usd: 'unlimited', tokens: 500_000 }],
    ['$5, 1000 tokens', { usd: 5, tokens: 1_000 }],
    ['$5 and 1000 tokens', { usd: 5, tokens: 1_000 }],
    ['unlimited', { usd: 'unlimited', tokens: 'unlimited' }],
  ])('reads %j, and what it writes reads the same', (text, value) => {
    expect(budget.read(text, context)).toEqual({ value });
    expect(budget.read(budget.write(value as never), context)).toEqual({ value });
  });

  it.each(['', '5', 5, 'five dollars', '$5, $6', '-5$', '1k', {}, null, 'tokens'])('refuses %j', (raw) => {
    expect(budget.read(raw, context)).toEqual({ write: expect.stringContaining('$5') });
  });

  it.each(['$0', '0 tokens'])('says of %j that no zero means unlimited', (raw) => {
    expect(budget.read(raw, context)).toEqual({
      write: expect.stringMatching(/^unlimited where no limit is meant/),
    });
  });
});
