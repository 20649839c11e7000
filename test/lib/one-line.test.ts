import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../src/lib/one-line.js';

describe('oneLine', () => {
  it('makes one line of many and takes terminal controls and hidden characters out', () => {
    expect(oneLine('a\r\nb\u2028c')).toBe('a b c');
    expect(oneLine('\u001b[31mred\u0007')).toBe('[31mred');
    expect(oneLine('abc\u202edef\u{e0041}')).toBe('abc def');
  });

  it('keeps emoji made of several characters', () => {
    expect(oneLine('👩‍💻 é')).toBe('👩‍💻 é');
  });

  it('is never longer than asked, and never ends in half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 2, max: 20 }),
        (text, max) => {
          const line = oneLine(text, max);
          expect(line.length).toBeLessThanOrEqual(max);
          expect(line).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
        },
      ),
    );
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });
});
