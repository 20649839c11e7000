import { expect, it } from 'vitest';
import { readWait } from '../../src/cli/wait.js';

it.each([
  [undefined, ['hi'], undefined, ['hi']],
  [true, ['hi'], 60_000, ['hi']],
  ['5m', ['hi'], 300_000, ['hi']],
  ['500ms', ['hi'], 500, ['hi']],
  ['1.5h', [], 5_400_000, []],
  // A flag with a value that may be left out takes the text that follows it: it is put back.
  ['What is new?', [], 60_000, ['What is new?']],
  ['42', [], 60_000, ['42']],
  ['5', ['apples'], 5_000, ['apples']],
  ['soon', ['please'], 60_000, ['soon', 'please']],
])('--wait %j before %j', (value, words, limitMs, text) => {
  expect(readWait(value, words)).toEqual({ limitMs, words: text });
});
