import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { type CustomProfile, parseCustomProfile } from '../../src/inbox/index.js';
import { type FakeTool, startFakeServer, textResult } from './fake-server.js';
import { callsIn, collector, inboxOf, NOW, never, outgoing } from './helpers.js';

const described = (name: string): CustomProfile =>
  parseCustomProfile(
    JSON.parse(readFileSync(new URL(`../fixtures/inbox/profiles/${name}.json`, import.meta.url), 'utf8')),
    `${name}.json`,
  );

/** A server with these tools, each noting its arguments, and an upstream with the profile. */
async function serverWith(
  profile: CustomProfile,
  tools: Record<string, (args: Record<string, unknown>) => unknown>,
) {
  const asked: [string, Record<string, unknown>][] = [];
  const list: FakeTool[] = Object.entries(tools).map(([name, call]) => ({
    name,
    call(args) {
      asked.push([name, args]);
      return call(args);
    },
  }));
  const server = await startFakeServer({ tools: list });
  return { server, asked, upstream: inboxOf(server, { profile, ownAlias: '@agent' }) };
}

const minimal = (change: object = {}) => ({
  name: 'mine',
  look: { tool: 'inbox', mode: 'peek', ...change },
  message: { id: 'id', sender: 'who', text: 'words' },
});

describe('a described inbox: mcp_agent_mail', () => {
  const mail = [
    { id: 1, from: 'BlueLake', subject: 's', body_md: 'first', created_ts: '2026-11-30T12:00:00+00:00' },
    { id: 2, from: 'RedFox', subject: 's', body_md: 'second', created_ts: '2026-11-30T12:05:00+00:00' },
  ];

  it('is peeked, marked, asked only for what is newer, and answered', async () => {
    const { asked, upstream } = await serverWith(described('mcp-agent-mail'), {
      fetch_inbox: ({ since_ts }) =>
        mail.filter(({ created_ts }) => since_ts === undefined || created_ts > String(since_ts)),
      mark_message_read: () => ({ read: true }),
      send_message: () => ({ id: 10 }),
      reply_message: () => ({ id: 11 }),
    });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toEqual([
      { id: '1', conversation: 'BlueLake', sender: 'BlueLake', text: 'first', sentAt: NOW, kind: 'agent' },
      {
        id: '2',
        conversation: 'RedFox',
        sender: 'RedFox',
        text: 'second',
        sentAt: NOW + 300_000,
        kind: 'agent',
      },
    ]);
    mail.push({
      id: 3,
      from: 'RedFox',
      subject: 's',
      body_md: 'third',
      created_ts: '2026-11-30T12:06:00+00:00',
    });
    await upstream.look(got.spool, never);
    expect(got.messages.map((message) => message.id)).toEqual(['1', '2', '3']);
    expect(asked.filter(([tool]) => tool === 'fetch_inbox').map(([, args]) => args.since_ts)).toEqual([
      undefined,
      undefined,
      '2026-11-30T12:05:00+00:00',
    ]);
    expect(asked.filter(([tool]) => tool === 'mark_message_read').map(([, args]) => args)).toEqual(
      ['1', '2', '3'].map((id) => ({ project_key: '/example/project', agent_name: 'agent', message_id: id })),
    );
    expect(await upstream.send(outgoing({ to: 'RedFox', replyToId: '2' }), never)).toEqual({
      kind: 'sent',
      upstreamId: '11',
    });
    expect(await upstream.send(outgoing({ to: 'RedFox' }), never)).toEqual({
      kind: 'sent',
      upstreamId: '10',
    });
    expect(asked.at(-1)).toEqual([
      'send_message',
      {
        project_key: '/example/project',
        sender_name: 'agent',
        to: ['RedFox'],
        subject: 'Message from agent',
        body_md: 'hi',
      },
    ]);
    expect(upstream.maxChars).toBe(50_000);
  });

  it('does not move its cursor past a message that lacks something', async () => {
    const { asked, upstream } = await serverWith(described('mcp-agent-mail'), {
      fetch_inbox: () => [{ id: 1, from: 'BlueLake', created_ts: '2026-11-30T12:00:00+00:00' }],
      mark_message_read: () => ({}),
      send_message: () => ({}),
      reply_message: () => ({}),
    });
    for (let round = 0; round < 2; round += 1) {
      expect(await upstream.look(collector().spool, never)).toMatchObject({
        kind: 'unrecognised',
        message: expect.stringContaining('lacks body_md'),
      });
    }
    expect(asked.map(([, args]) => args.since_ts)).toEqual([undefined, undefined]);
  });

  it('does not move its cursor past mail that could not be spooled', async () => {
    const { asked, upstream } = await serverWith(described('mcp-agent-mail'), {
      fetch_inbox: () => mail,
      mark_message_read: () => ({}),
      send_message: () => ({}),
      reply_message: () => ({}),
    });
    const full = new Error('full');
    await expect(
      upstream.look(async () => {
        throw full;
      }, never),
    ).rejects.toBe(full);
    await upstream.look(collector().spool, never);
    expect(asked.filter(([tool]) => tool === 'fetch_inbox').map(([, args]) => args.since_ts)).toEqual([
      undefined,
      undefined,
    ]);
    expect(asked.filter(([tool]) => tool === 'mark_message_read').length).toBeGreaterThan(0);
  });
});

describe('a described inbox: a queue', () => {
  it('is popped until empty, each task spooled before it is acknowledged and the next is popped', async () => {
    const tasks = ['a', 'b'].map((payload, index) => ({
      receipt: `r${index}`,
      task: { id: index, payload, enqueued_at: NOW },
    }));
    const { asked, upstream } = await serverWith(described('queue'), {
      queue_pop: () => tasks.shift() ?? 'Queue is empty.',
      queue_ack: () => 'ok',
      queue_peek: () => ({ size: 2 }),
    });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    const order: string[] = [];
    await upstream.look(async (batch) => {
      order.push(
        ...batch.map((message) => `spooled ${message.text} of ${message.sender} after ${asked.length} calls`),
      );
    }, never);
    expect(order).toEqual(['spooled a of @queue after 2 calls', 'spooled b of @queue after 4 calls']);
    expect(asked.map(([tool, args]) => `${tool} ${Object.values(args).join()}`)).toEqual([
      'queue_peek tasks',
      'queue_pop tasks',
      'queue_ack r0',
      'queue_pop tasks',
      'queue_ack r1',
      'queue_pop tasks',
    ]);
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'refused' });
  });
});

describe('a described inbox: a mail service with threads', () => {
  it('opens each unread message, takes only that one of its thread, and unmarks it', async () => {
    const { asked, upstream } = await serverWith(described('agentmail'), {
      list_messages: () => ({
        count: 1,
        messages: [{ messageId: 'm2', threadId: 't1', from: 'alice@example.test', preview: 'sec' }],
      }),
      get_thread: () => ({
        threadId: 't1',
        messages: [
          { messageId: 'm1', from: 'agent@example.test', text: 'our own' },
          {
            messageId: 'm2',
            from: 'alice@example.test',
            extractedText: 'second',
            text: 'second > our own',
            timestamp: NOW,
          },
        ],
      }),
      update_message: () => ({}),
      send_message: () => ({ messageId: 'm9' }),
      reply_to_message: () => ({ messageId: 'm8', threadId: 't1' }),
    });
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toEqual([
      {
        id: 'm2',
        conversation: 't1',
        sender: 'alice@example.test',
        replyTo: 'alice@example.test',
        text: 'second',
        sentAt: NOW,
        kind: 'agent',
      },
    ]);
    expect(asked).toContainEqual(['get_thread', { inboxId: 'agent@example.test', threadId: 't1' }]);
    expect(asked.at(-1)).toEqual([
      'update_message',
      { inboxId: 'agent@example.test', messageId: 'm2', removeLabels: ['unread'] },
    ]);
    expect(await upstream.send(outgoing({ replyToId: 'm2' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 'm8',
    });
  });
});

describe('a described inbox in general', () => {
  it.each([
    ['a sentence nobody knows', 'Hello there', 'Hello there'],
    ['a list elsewhere', { letters: [] }, 'letters'],
    ['a message without what the description names', [{ id: 1, who: '@a' }], 'lacks words'],
    ['nothing', { content: [] }, 'nothing'],
  ])('%s is unrecognised, and names what was missing', async (_name, answer, word) => {
    const { upstream } = await serverWith(parseCustomProfile(minimal({ items: 'mail' }), 'x'), {
      inbox: () => (Array.isArray(answer) ? { mail: answer } : answer),
    });
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining(word),
    });
  });

  it('passes over items whose `when` says no', async () => {
    const profile = parseCustomProfile(minimal({ when: 'unread' }), 'x');
    const { upstream } = await serverWith(profile, {
      inbox: () =>
        [0, 1, true, false, undefined].map((unread, id) => ({ id, who: '@a', words: 'w', unread })),
    });
    const got = collector();
    await upstream.look(got.spool, never);
    expect(got.messages.map((message) => message.id)).toEqual(['1', '2']);
  });

  it('acknowledges all at once where the description says {ids}, and maps errors', async () => {
    const profile = parseCustomProfile(
      { ...minimal(), acknowledge: { tool: 'ack', arguments: { list: '{ids}' } } },
      'x',
    );
    let refuse = false;
    const { asked, upstream } = await serverWith(profile, {
      inbox: () => ['a', 'b'].map((id) => ({ id, who: '@a', words: 'w' })),
      ack: () => (refuse ? textResult({ error: { code: 'invalid_api_key', message: 'gone' } }, true) : 'ok'),
    });
    await upstream.look(collector().spool, never);
    expect(asked.at(-1)).toEqual(['ack', { list: ['a', 'b'] }]);
    refuse = true;
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'unauthorised' });
  });

  it('is idempotent where its sends carry the key', async () => {
    const send = { tool: 'post', arguments: { to: '{to}', text: '{text}', nonce: '{key}' } };
    const { upstream, server, asked } = await serverWith(parseCustomProfile({ ...minimal(), send }, 'x'), {
      inbox: () => [],
      post: () => 'ok',
    });
    await upstream.check(never);
    expect(upstream.idempotent).toBe(true);
    server.sessions.clear();
    expect(await upstream.send(outgoing({ text: 'literal {to}' }), never)).toMatchObject({ kind: 'sent' });
    expect(asked.at(-1)?.[1]).toEqual({
      to: '@alice',
      text: 'literal {to}',
      nonce: 'claim/@alice/reply/0/0',
    });
    expect(callsIn(server)).toContain('call post');
  });

  it('names the tools that the server does not have', async () => {
    const profile = parseCustomProfile({ ...minimal(), send: { tool: 'post' } }, 'x');
    const { upstream } = await serverWith(profile, { inbox: () => [] });
    expect(await upstream.check(never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('mine misses post'),
    });
  });

  it.each([
    [{ ...minimal(), look: { tool: 'inbox' } }, 'look.mode'],
    [{ ...minimal(), extra: 1 }, 'extra'],
    [{ ...minimal(), name: 'Has Spaces' }, 'name'],
    ['no object', 'expected object'],
  ])('a wrong description is one sentence: %j', (value, word) => {
    const parse = () => parseCustomProfile(value, 'config/inboxes/mine.json');
    expect(parse).toThrow(WorkerError);
    expect(parse).toThrow(new RegExp(`mine.json.*${word}`));
  });
});
