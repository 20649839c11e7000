import { expect, it } from 'vitest';
import { isForUs } from '../../src/domain/channel.js';

const inChannel = (text: string) => ({ conversation: '#ops', text });

it('answers direct messages whatever the rule', () => {
  expect(isForUs({ conversation: '@alice', text: 'hi' }, 'ignore', '@agent')).toBe(true);
});

it.each([
  ['@agent, are you there?', true],
  ['ask (@Agent) or', true],
  ['@agent', true],
  ['please @agent- hurry', true],
  ['@agent-two should', false],
  ['@agents', false],
  ['mail joe@agent now', false],
  ['nobody in particular', false],
])('finds its name in %j: %j', (text, expected) => {
  expect(isForUs(inChannel(text), 'mention', '@agent')).toBe(expected);
});

it('answers all or none when told so, and no mention can be without a name', () => {
  expect(isForUs(inChannel('x'), 'all', undefined)).toBe(true);
  expect(isForUs(inChannel('@agent'), 'ignore', '@agent')).toBe(false);
  expect(isForUs(inChannel('@agent'), 'mention', undefined)).toBe(false);
});
