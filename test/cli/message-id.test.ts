import { describe, expect, it } from 'vitest';
import { wholeId } from '../../src/cli/message-id.js';
import type { MessageStory } from '../../src/control/index.js';

const KNOWN = ['abcd', 'abcd-1', 'abcx-2', 'zyxw-3', 'abc'];
const operations = {
  show: async (id: string) => (KNOWN.includes(id) ? ({} as MessageStory) : undefined),
  idsLike: async (prefix: string) => KNOWN.filter((id) => id.startsWith(prefix)),
};

describe('the beginning of an id', () => {
  it.each([
    ['zyxw', 'zyxw-3'],
    ['zyxw-3', 'zyxw-3'],
    ['abcd-', 'abcd-1'],
    // Whole as it stands, though others begin with it.
    ['abcd', 'abcd'],
    // Too short to be taken for a beginning, and for the commands to refuse.
    ['zyx', 'zyx'],
    ['abc', 'abc'],
    ['nobody', 'nobody'],
  ])('%s stands for %s', async (given, id) => {
    expect(await wholeId(operations, given)).toBe(id);
  });

  it('that fits several is refused, with all of them', async () => {
    const two = { ...operations, show: async () => undefined };
    await expect(wholeId(two, 'abcd')).rejects.toMatchObject({
      code: 'ambiguous',
      exitCode: 2,
      message: 'Several messages begin with abcd: abcd, abcd-1.',
      hint: 'Write more of the id.',
    });
  });
});
