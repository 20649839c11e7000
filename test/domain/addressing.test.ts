import { expect, it } from 'vitest';
import { admits, maySendTo, sameName } from '../../src/domain/addressing.js';
import { mergeWakes } from '../../src/domain/wake.js';

it('compares names as the inbox does', () => {
  expect(sameName('Alice', '@alice ')).toBe(true);
  expect(sameName('#ops', 'ops')).toBe(false);
});

it('lets nobody else be written to by default', () => {
  expect(maySendTo([], '@bob')).toBe(false);
  expect(maySendTo(['@bob'], 'Bob')).toBe(true);
  expect(maySendTo('anyone', '@bob')).toBe(true);
});

it('admits who is on the allow list and not on the deny list', () => {
  expect(admits({ allow: 'anyone', deny: ['@eve'] }, '@eve')).toBe(false);
  expect(admits({ allow: ['@alice'], deny: [] }, '@bob')).toBe(false);
  expect(admits({ allow: ['@alice'], deny: ['@alice'] }, '@alice')).toBe(false);
  expect(admits({ allow: 'anyone', deny: [] }, '@bob')).toBe(true);
});

it('merges wakes of one kind', () => {
  const kinds = mergeWakes([
    { kind: 'webhook', at: 1 },
    { kind: 'signal', at: 2 },
    { kind: 'webhook', at: 3 },
  ]);
  expect(kinds).toEqual(['webhook', 'signal']);
});
