import { describe, expect, it } from 'vitest';
import { kindOf, sideAnswer } from '../../src/rehearsal/kind.js';

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const messages = (body: unknown) => kindOf('POST', '/v1/messages?beta=true', body);
const TITLE = { format: { type: 'json_schema', schema: { properties: { title: { type: 'string' } } } } };

describe('kindOf', () => {
  it.each([
    ['the quota probe', { ...user('quota'), max_tokens: 1 }],
    ['the token count of older versions', { ...user('count'), max_tokens: 1, tools: [{ name: 'x' }] }],
    ['the warm-up of 2.1.1', { ...user('Warmup'), max_tokens: 32_000, system: 'You are Claude Code' }],
    ['a title', { ...user('<session>…</session>'), output_config: TITLE }],
    [
      'a compaction',
      user([{ type: 'text', text: 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.' }]),
    ],
    [
      'a compaction behind a prompt',
      user([
        { type: 'text', text: 'two\n' },
        { type: 'text', text: 'Your task is to create a detailed summary of the conversation so far' },
      ]),
    ],
  ])('%s is a side call', (_, body) => expect(messages(body)).toBe('side'));

  it.each([
    ['a prompt', user('hello')],
    [
      'a prompt of one word that a probe uses, with a system prompt',
      { ...user('count'), system: 'You are …' },
    ],
    [
      'a prompt without tools and with an effort',
      { ...user('hi'), tools: [], output_config: { effort: 'medium' } },
    ],
    ['a body that cannot be read', undefined],
  ])('%s is a turn', (_, body) => expect(messages(body)).toBe('turn'));

  it('tells the other routes', () => {
    expect(kindOf('POST', '/v1/messages/count_tokens', {})).toBe('count');
    expect(kindOf('HEAD', '/', undefined)).toBe('probe');
    expect(kindOf('GET', '/v1/messages', undefined)).toBe('unknown');
    expect(kindOf('POST', '/', undefined)).toBe('unknown');
  });

  it('answers a title as the JSON it asks for', () => {
    const request = { messages: [{ role: 'user', content: 'x' }], output_config: TITLE };
    expect(sideAnswer(request).content).toEqual([{ type: 'text', text: '{"title":"Rehearsal"}' }]);
  });
});
