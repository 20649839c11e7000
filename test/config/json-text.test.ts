// JSON that is none is told by line and column.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findJsonFault, parseJson } from '../../src/config/json-text.js';

it.each([
  ['{"a": }', 1, 7, '"}" stands where a value should'],
  ['{\n  "a": 1,\n}', 3, 1, 'the comma before "}" is one too many'],
  ['[1,\n 2 3]', 2, 4, '"3" stands where "," or "]" should'],
  ['{"a": 1', 1, 8, 'the text ends where "," or "}" should stand'],
  ['', 1, 1, 'the text ends where a value should stand'],
  ['{a: 1}', 1, 2, '"a" stands where a key in double quotes should'],
  ["{'a': 1}", 1, 2, `"'" stands where a key in double quotes should`],
  ['{\n  // remark\n}', 2, 3, 'JSON has no comments'],
  ['{"a" 1}', 1, 6, '"1" stands where ":" should'],
  ['{"a": "b}', 1, 7, 'no closing quote'],
  ['{"a": "\\x"}', 1, 7, 'stray backslash'],
  ['{} {}', 1, 4, 'more text follows'],
  ['{"a": 01}', 1, 8, '"1" stands where "," or "}" should'],
])('%j', (text, line, column, problem) => {
  expect(parseJson(text)).toEqual({
    kind: 'fault',
    fault: { line, column, problem: expect.stringContaining(problem) },
  });
});

it('takes a byte order mark', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ kind: 'parsed', value: { a: 1 } });
});

it('finds a fault exactly where JSON.parse does, in JSON with a few characters dropped, added or doubled', () => {
  const edited = fc
    .tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), fc.string({ maxLength: 2 }))
    .map(([json, seed, drop, insert]) => {
      const at = seed % (json.length + 1);
      return json.slice(0, at) + insert + json.slice(at + drop);
    });
  fc.assert(
    fc.property(fc.oneof(edited, fc.json(), fc.string()), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      expect(findJsonFault(text) === undefined).toBe(valid);
    }),
    { numRuns: 2000 },
  );
});
