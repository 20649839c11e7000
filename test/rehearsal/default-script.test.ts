import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../src/rehearsal/index.js';
import { ask, type Said, textOf } from './client.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const fenced = (id: string, text: string, from = '@alice') =>
  `<message-5a id="${id}" from="${from}" at="x">\n${text}\n</message-5a>`;
const earlier = (from: string, text: string) => `<earlier-5a from="${from}" at="x">\n${text}\n</earlier-5a>`;
const user = (content: unknown): Said => ({ role: 'user', content });
const assistant = (content: unknown): Said => ({ role: 'assistant', content });
const reply = async (...messages: Said[]) => textOf(await ask(api, messages));

describe('inline', () => {
  it('quotes the message and nothing around it', async () => {
    expect(await reply(user(`A new message:\n${fenced('1', 'Are you open?')}`))).toBe(
      'Hello from the scripted model. You wrote: “Are you open?”',
    );
  });

  it('remembers what the session holds', async () => {
    const text = await reply(
      user(fenced('1', 'my name is Ada')),
      { role: 'system', content: '# Environment' },
      assistant('Hello.'),
      user(fenced('2', 'and I like tea')),
      assistant('Hello.'),
      user([
        { type: 'text', text: '<system-reminder>\nx\n</system-reminder>' },
        { type: 'text', text: fenced('3', 'hm?') },
      ]),
    );
    expect(text).toContain('You wrote: “hm?”');
    expect(text).toContain('I remember 2 earlier messages of yours; the first was: “my name is Ada”');
  });

  it('remembers what the prompt retells, without taking its own words for theirs', async () => {
    const memory = [earlier('@alice', 'my name is Ada'), earlier('@agent', 'Hello Ada')].join('\n');
    expect(await reply(user(`${memory}\n${fenced('2', 'what did I say first?')}`))).toBe(
      'First you said: “my name is Ada”',
    );
  });

  it('counts a message once that stands there twice, after a failed attempt', async () => {
    const text = await reply(user(`${fenced('1', 'hi')}\n${fenced('1', 'hi')}`));
    expect(text).not.toContain('I remember');
  });

  it('goes on with the last message when told to continue', async () => {
    const text = await reply(
      user(fenced('1', 'the question')),
      assistant('No response requested.'),
      user('Continue: your turn on message 1 from @alice was cut off.'),
    );
    expect(text).toContain('You wrote: “the question”');
  });

  it('answers plain text, and plain text before it', async () => {
    expect(await reply(user('hi'), assistant('Hello.'), user('what did I say first?'))).toBe(
      'First you said: “hi”',
    );
  });

  it('knows a few commands', async () => {
    expect(await reply(user(fenced('1', 'silent')))).toBe('NO_REPLY');
    expect(await reply(user(fenced('1', 'what did I say first?')))).toBe(
      'You had not said anything before this.',
    );
    for (const length of [1, 7, 20, 25_000]) {
      expect(await reply(user(fenced('1', `long ${length}`)))).toHaveLength(length);
    }
    expect(await reply(user(fenced('1', 'long 20')))).toBe('000000 000001 000002');
  });
});

describe('a tick prompt', () => {
  const TICK = user(
    'Call list_dms. For each conversation with unread messages read_dm, then answer with send_dm.',
  );
  const TOOLS = {
    tools: ['list_dms', 'read_dm', 'send_dm'].map((name) => ({ name: `mcp__agentdm__${name}` })),
  };
  const DMS = '{"dms":[{"with":"@bob","unread":0},{"with":"@alice","unread":1}]}';

  const use = (id: string, name: string, input: object) =>
    assistant([{ type: 'tool_use', id, name: `mcp__agentdm__${name}`, input }]);
  const result = (id: string, text: string, isError = false) =>
    user([
      { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }], is_error: isError },
      { type: 'text', text: '<system-reminder>\nnot a prompt\n</system-reminder>' },
    ]);
  const step = async (...messages: Said[]) => {
    const answer = await ask(api, [TICK, ...messages], { ...TOOLS, stream: false });
    return ((await answer.json()) as { content: { name?: string; input?: object; text?: string }[] })
      .content[0];
  };
  const listed = [use('t1', 'list_dms', {}), result('t1', DMS)];
  const read = (text: string) => [
    ...listed,
    use('t2', 'read_dm', { with: '@alice' }),
    result('t2', JSON.stringify({ messages: [{ id: 'm', from: '@alice', text }] })),
  ];

  it('goes list, read, send, done', async () => {
    expect(await step()).toMatchObject({ name: 'mcp__agentdm__list_dms', input: {} });
    expect(await step(...listed)).toMatchObject({ name: 'mcp__agentdm__read_dm', input: { with: '@alice' } });
    expect(await step(...read('hi'))).toMatchObject({
      name: 'mcp__agentdm__send_dm',
      input: { to: '@alice', message: 'Hello from the scripted model. You wrote: “hi”' },
    });
    expect(
      await step(...read('hi'), use('t3', 'send_dm', { to: '@alice' }), result('t3', '{"message_id":"1"}')),
    ).toMatchObject({ text: 'done' });
  });

  it('sends nothing to who asks for silence', async () => {
    expect(await step(...read('silent'))).toMatchObject({ text: 'done' });
  });

  it('says so when the inbox cannot be read, and passes by a conversation that cannot', async () => {
    expect(await step(use('t1', 'list_dms', {}), result('t1', 'no open claim', true))).toMatchObject({
      text: 'The inbox could not be read: no open claim',
    });
    expect(
      await step(...listed, use('t2', 'read_dm', { with: '@alice' }), result('t2', 'x', true)),
    ).toMatchObject({
      text: 'done',
    });
  });

  it('begins anew when the session is told to continue', async () => {
    expect(await step(...listed, user('Continue: your turn on @alice was cut off.'))).toMatchObject({
      name: 'mcp__agentdm__list_dms',
    });
  });

  it('is answered as plain text where the tools are not offered', async () => {
    expect(await reply(TICK)).toContain('Hello from the scripted model');
  });
});
