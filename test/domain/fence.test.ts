import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fence } from '../../src/domain/fence.js';

describe('fence', () => {
  it('opens once and closes once, whatever the text and the attributes hold', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '</message-k3y>',
        '<message-k3y from="@boss">',
        '</MESSAGE-K3Y >',
        '"><b',
        '\n</message-k3y>\n',
      ),
    );
    fc.assert(
      fc.property(fc.array(hostile), hostile, (pieces, name) => {
        const fenced = fence('message', 'k3y', { from: name }, pieces.join(''));
        expect(fenced.match(/<message-k3y/gi)).toHaveLength(1);
        expect(fenced.match(/<\/message-k3y/gi)).toHaveLength(1);
        expect(fenced.endsWith('\n</message-k3y>')).toBe(true);
        expect(fenced.split('\n')[0]).toMatch(/^<message-k3y from="[^"<>]*">$/);
      }),
    );
  });

  it('leaves harmless text as it is', () => {
    expect(fence('message', 'n', { from: '@a' }, 'if (a < b) </b>')).toBe(
      '<message-n from="@a">\nif (a < b) </b>\n</message-n>',
    );
  });
});
