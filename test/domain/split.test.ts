import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOf, sendableParts, splitText } from '../../src/domain/split.js';

describe('splitText', () => {
  it('loses nothing, keeps order, and keeps every piece within the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 2, max: 60 }),
        (text, max) => {
          const pieces = splitText(text, max);
          expect(pieces.join('')).toBe(text);
          expect(pieces.every((piece) => piece.length <= max)).toBe(true);
          expect(pieces.length === 1 || pieces.every((piece) => piece.length > 0)).toBe(true);
        },
      ),
    );
  });

  it('never cuts inside a surrogate pair', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 1, max: 40 }), (max, count) => {
        const pieces = splitText('😀'.repeat(count), max);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('cuts at a paragraph before a line, at a line before a space', () => {
    expect(splitText('one two\n\nthree four', 12)).toEqual(['one two\n\n', 'three four']);
    expect(splitText('one two\nthree four', 12)).toEqual(['one two\n', 'three four']);
    expect(splitText('one two three', 10)).toEqual(['one two ', 'three']);
  });

  it('splits 25,000 characters into three sends of at most 10,000', () => {
    const pieces = splitText('x'.repeat(25_000), 10_000);
    expect(pieces.map((piece) => piece.length)).toEqual([10_000, 10_000, 5_000]);
  });
});

describe('sendableParts', () => {
  it('has no blank piece but where there is nothing else', () => {
    expect(sendableParts(`a${' '.repeat(25)}b`, 10)).toEqual(['a         ', '      b']);
    expect(sendableParts('   ', 10)).toEqual(['   ']);
  });
});

describe('headOf', () => {
  it('never ends in half a character', () => {
    expect(headOf('a😀b', 2)).toBe('a');
    expect(headOf('a😀b', 3)).toBe('a😀');
    expect(headOf('ab', 9)).toBe('ab');
  });
});
