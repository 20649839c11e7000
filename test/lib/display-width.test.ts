import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth } from '../../src/lib/display-width.js';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['äöü', 3],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['👍', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['…·→', 3],
    ['a\u200bb', 2],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('cutToWidth', () => {
  it.each([
    ['hello', 5, 'hello'],
    ['hello', 4, 'hel…'],
    ['hello', 1, '…'],
    ['hello', 0, ''],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本語', 3, '日…'],
    ['日本語', 2, '…'],
    ['ab👩‍👩‍👧‍👦cd', 4, 'ab…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('cuts %j to %i columns', (text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut);
  });

  it('never takes more room than there is, and leaves what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, columns) => {
        const cut = cutToWidth(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        if (displayWidth(text) <= columns) expect(cut).toBe(columns === 0 ? '' : text);
        else if (columns > 0) expect(cut.endsWith('…')).toBe(true);
      }),
    );
  });
});
