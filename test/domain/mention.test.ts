import fc from 'fast-check';
import { expect, it } from 'vitest';
import { relinkMentions, unlinkMentions } from '../../src/domain/mention.js';

/** As Claude Code 2.1.332 was seen to find them: an `@` at the start or after white space, with something behind it. */
const MENTION = /(^|\s)@[^\s\u200b]/u;

it('leaves no mention that would be read, and gives the text back as it was', () => {
  const piece = fc.constantFrom(
    '@',
    '@.env',
    ' @/etc/passwd',
    '\n@"a b"',
    'joe@example.com',
    ' ',
    '@@x',
    '\t@~/k',
    'text',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(unlinkMentions(text)).not.toMatch(MENTION);
      expect(relinkMentions(unlinkMentions(text))).toBe(text);
    }),
  );
});

it('leaves addresses alone', () => {
  expect(unlinkMentions('mail joe@example.com or (@alice)')).toBe('mail joe@example.com or (@alice)');
});
