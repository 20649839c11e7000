import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted, humanCount, humanDollars, humanDuration } from '../../src/lib/human.js';

describe('humanDuration', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [850, '850 ms'],
    [999.6, '1 s'],
    [1234, '1.2 s'],
    [9960, '10 s'],
    [42_000, '42 s'],
    [59_700, '1 m'],
    [192_000, '3 m 12 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 m'],
    [273_600_000, '3 d 4 h'],
    [Number.POSITIVE_INFINITY, '?'],
  ])('%d ms is %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });

  it('never says sixty of a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90 * 86_400_000 }), (ms) => {
        expect(humanDuration(ms)).toMatch(/^\d{1,3}(\.\d)? (ms|s|m|h|d)( \d{1,2} (s|m|h))?$/);
        expect(humanDuration(ms)).not.toMatch(/\b60 [sm]\b|\b24 h\b/);
      }),
    );
  });
});

describe('humanDollars', () => {
  it.each([
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.003, '$0.003'],
    [0.00312, '$0.0031'],
    [0.0999, '$0.10'],
    [0.5, '$0.50'],
    [12.345, '$12.35'],
    [Number.NaN, '$?'],
  ])('%d is %s', (usd, text) => {
    expect(humanDollars(usd)).toBe(text);
  });
});

describe('humanCount', () => {
  it.each([
    [0, '0'],
    [-1, '0'],
    [999, '999'],
    [1000, '1k'],
    [1234, '1.2k'],
    [9_960, '10k'],
    [12_345, '12k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_250_000, '1.3M'],
    [Number.NaN, '?'],
  ])('%d is %s', (count, text) => {
    expect(humanCount(count)).toBe(text);
  });
});

it('counts one and many', () => {
  expect(counted(1, 'turn')).toBe('1 turn');
  expect(counted(0, 'turn')).toBe('0 turns');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});
