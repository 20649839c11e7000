import { describe, expect, it } from 'vitest';
import { startFakeServer, textResult } from './fake-server.js';
import { callsIn, collector, dmsTools, inboxOf, NOW, never, outgoing } from './helpers.js';

const noMail = { dms: [] };

async function lookAt(parts: Parameters<typeof dmsTools>[0], ownAlias?: string) {
  const server = await startFakeServer({ tools: dmsTools(parts) });
  const got = collector();
  const outcome = await inboxOf(server, { ownAlias }).look(got.spool, never);
  return { server, got, outcome };
}

describe('looking with dms', () => {
  it('reads only conversations with unread messages, leaving them unread until acknowledged', async () => {
    const asked: unknown[] = [];
    const { server, got, outcome } = await lookAt({
      list: () => ({
        dms: [
          { with: '@alice', unread: 1 },
          { with: '@bob', unread: 0 },
          { with: '#ops', unread: 2 },
        ],
      }),
      read(args) {
        asked.push(args);
        if (args.with === '@alice')
          return { messages: [{ id: 'a1', from: '@alice', text: 'hello', at: '2026-11-30T12:00:00.000Z' }] };
        return {
          messages: [
            { id: 'o1', from: '@carol', text: 'one', at: NOW },
            { id: 'o2', from: '@system', text: 'two', at: NOW, type: 'system' },
          ],
        };
      },
      ack(args) {
        asked.push(args);
        return { acknowledged: args.ids };
      },
    });
    expect(outcome).toEqual({ kind: 'looked' });
    expect(asked).toEqual([
      { with: '@alice', mark_read: false },
      { ids: ['a1'] },
      { with: '#ops', mark_read: false },
      { ids: ['o1', 'o2'] },
    ]);
    expect(got.messages).toEqual([
      { id: 'a1', conversation: '@alice', sender: '@alice', text: 'hello', sentAt: NOW, kind: 'agent' },
      { id: 'o1', conversation: '#ops', sender: '@carol', text: 'one', sentAt: NOW, kind: 'agent' },
      { id: 'o2', conversation: '#ops', sender: '@system', text: 'two', sentAt: NOW, kind: 'system' },
    ]);
    expect(callsIn(server)).toHaveLength(5);
  });

  it('without ack_dm reads plainly', async () => {
    const asked: unknown[] = [];
    await lookAt({
      list: () => ({ dms: [{ with: '@alice', unread: 1 }] }),
      read(args) {
        asked.push(args);
        return { messages: [{ id: 'a1', from: '@alice', text: 'hello' }] };
      },
    });
    expect(asked).toEqual([{ with: '@alice' }]);
  });

  it.each([
    [
      'conversations, unread_count, user, body',
      { conversations: [{ user: '@alice', unread_count: 1 }] },
      { messages: [{ message_id: 'a1', user: '@alice', body: 'hello' }] },
    ],
    [
      'a bare list and content blocks',
      [{ alias: '@alice', unread: true }],
      [{ id: 'a1', sender: { alias: '@alice' }, content: [{ type: 'text', text: 'hello' }] }],
    ],
    [
      'texts for numbers',
      { threads: [{ peer: '@alice', unreadCount: '1' }] },
      { items: [{ id: 'a1', author: 'Alice', text: 'hello' }] },
    ],
    [
      'no sender in a direct conversation',
      { dms: [{ with: '@alice', unread: 1 }] },
      { messages: [{ id: 'a1', message: 'hello' }] },
    ],
    [
      'one message, bare',
      { dms: [{ with: '@alice', unread: 1 }] },
      { id: 'a1', from: '@alice', text: 'hello' },
    ],
  ])('understands %s', async (_name, list, read) => {
    const { got, outcome } = await lookAt({ list: () => list, read: () => read });
    expect(outcome).toEqual({ kind: 'looked' });
    expect(got.messages).toMatchObject([
      { id: 'a1', conversation: '@alice', sender: '@alice', text: 'hello', kind: 'agent' },
    ]);
  });

  it.each(['No new messages.', 'No conversations', 'You have no unread messages.'])(
    'takes "%s" for empty',
    async (sentence) => {
      const { got, outcome } = await lookAt({ list: () => sentence, read: () => '' });
      expect(outcome).toEqual({ kind: 'looked' });
      expect(got.batches).toEqual([]);
    },
  );

  it.each([
    ['an unknown sentence', 'Welcome to your inbox', 'Welcome'],
    ['an object without a list', { total: 0 }, 'total'],
    ['an empty object', {}, 'empty object'],
    ['nothing', { content: [] }, 'nothing'],
    ['a conversation without unread', { dms: [{ with: '@alice', last_at: NOW }] }, 'lacks unread'],
    ['a conversation without a name', { dms: [{ unread: 1 }] }, 'lacks with'],
  ])('never takes %s for empty', async (_name, list, word) => {
    const { outcome } = await lookAt({ list: () => list, read: () => ({ messages: [] }) });
    expect(outcome).toMatchObject({ kind: 'unrecognised', message: expect.stringContaining(word) });
  });

  it('an answer of read_dm that is not understood does not keep the other conversations unread', async () => {
    const { got, outcome } = await lookAt({
      list: () => ({ dms: ['@alice', '@bob', '@carol', '@dave'].map((name) => ({ with: name, unread: 1 })) }),
      read({ with: name }) {
        if (name === '@alice') return { letters: [] };
        if (name === '@bob') return textResult({ error: { code: 'strange', message: 'not today' } }, true);
        if (name === '@carol') return { messages: [{ from: '@carol', text: 'no id' }] };
        return { messages: [{ id: 'd1', from: '@dave', text: 'hello' }] };
      },
      ack: () => ({}),
    });
    expect(outcome).toMatchObject({ kind: 'unrecognised', message: expect.stringContaining('letters') });
    expect(got.messages.map((message) => message.id)).toEqual(['d1']);
  });

  it('a message without an id is left unread where it can be, and kept where it cannot', async () => {
    const read = () => ({ messages: [{ from: '@alice', text: 'hello' }] });
    const list = () => ({ dms: [{ with: '@alice', unread: 1 }] });
    const acked: unknown[] = [];
    const peeked = await lookAt({ list, read, ack: (args) => acked.push(args) });
    expect(peeked.outcome).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('lacks id'),
    });
    expect([peeked.got.messages, acked]).toEqual([[], []]);
    const taken = await lookAt({ list, read });
    expect(taken.outcome).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('lacks id'),
    });
    expect(taken.got.messages).toMatchObject([{ id: expect.stringMatching(/^unnamed-/), text: 'hello' }]);
  });

  it('a refused key or a limit ends the look; what was spooled stays', async () => {
    for (const [code, kind] of [
      ['invalid_api_key', 'unauthorised'],
      ['rate_limit_exceeded', 'rate-limited'],
    ] as const) {
      const { server, got, outcome } = await lookAt({
        list: () => ({ dms: ['@alice', '@bob', '@carol'].map((name) => ({ with: name, unread: 1 })) }),
        read: ({ with: name }) =>
          name === '@alice'
            ? { messages: [{ id: 'a1', from: '@alice', text: 'hello' }] }
            : textResult({ error: { code, message: 'stop' } }, true),
      });
      expect(outcome).toMatchObject({ kind });
      expect(got.messages).toHaveLength(1);
      expect(callsIn(server)).toHaveLength(3);
    }
  });

  it('a refused acknowledgement is told, and the message found again', async () => {
    let refusing = true;
    const server = await startFakeServer({
      tools: dmsTools({
        list: () => ({ dms: [{ with: '@alice', unread: 1 }] }),
        read: () => ({ messages: [{ id: 'a1', from: '@alice', text: 'hello' }] }),
        ack: () => (refusing ? textResult('not now', true) : {}),
      }),
    });
    const got = collector();
    const upstream = inboxOf(server);
    expect(await upstream.look(got.spool, never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('not now'),
    });
    refusing = false;
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages.map((message) => message.id)).toEqual(['a1', 'a1']);
  });

  it('reads on where the server gives fewer than it counted, and sorts by time', async () => {
    const pages = [
      [
        { id: '2', text: 'b', at: NOW + 2_000 },
        { id: '1', text: 'a', at: NOW + 1_000 },
      ],
      [{ id: '3', text: 'c', at: NOW + 3_000 }],
    ];
    const { got } = await lookAt({
      list: () => ({ dms: [{ with: '@alice', unread: 3 }] }),
      read: () => ({ messages: pages.shift() ?? [] }),
    });
    expect(got.messages.map((message) => message.id)).toEqual(['1', '2', '3']);
  });

  it('does not read for ever when nothing new comes', async () => {
    const { server } = await lookAt({
      list: () => ({ dms: [{ with: '@alice', unread: 9 }] }),
      read: () => ({ messages: [{ id: 'a1', text: 'hello' }], has_more: true }),
    });
    expect(callsIn(server)).toHaveLength(3);
  });

  it('writes our own name as we know it', async () => {
    const { got } = await lookAt(
      {
        list: () => ({ dms: [{ with: '#ops', unread: 1 }] }),
        read: () => ({ messages: [{ id: 'o1', from: 'Agent', text: 'me' }] }),
      },
      'agent',
    );
    expect(got.messages[0]?.sender).toBe('@agent');
  });

  it('uses the argument names that the tools list', async () => {
    const asked: unknown[] = [];
    const note = (args: Record<string, unknown>) => {
      asked.push(args);
      return {
        messages: [
          { id: 'a1', text: 'hello' },
          { id: 'a2', text: 'there' },
        ],
      };
    };
    const properties = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, {}])),
    });
    const server = await startFakeServer({
      tools: [
        {
          name: 'list_dms',
          inputSchema: properties(),
          call: () => ({ dms: [{ with: '@alice', unread: 2 }] }),
        },
        { name: 'read_dm', inputSchema: properties('user', 'markRead'), call: note },
        { name: 'ack_dm', inputSchema: properties('message_id'), call: note },
        { name: 'send_dm', inputSchema: properties('recipient', 'body', 'in_reply_to'), call: note },
      ],
    });
    const upstream = inboxOf(server);
    await upstream.look(collector().spool, never);
    await upstream.send(outgoing({ replyToId: 'a1' }), never);
    expect(asked).toEqual([
      { user: '@alice', markRead: false },
      { message_id: 'a1' },
      { message_id: 'a2' },
      { recipient: '@alice', body: 'hi', in_reply_to: 'a1' },
    ]);
    expect(upstream.idempotent).toBe(false);
  });
});

describe('sending with dms', () => {
  it('hands over the idempotency key where the tool lists one, and says so', async () => {
    const sent: unknown[] = [];
    const send = (args: Record<string, unknown>) => {
      sent.push(args);
      return { message_id: 's1' };
    };
    const keyed = inboxOf(
      await startFakeServer({ tools: dmsTools({ list: () => noMail, read: () => '', send }) }),
    );
    expect(keyed.idempotent).toBe(false);
    await keyed.check(never);
    expect(keyed.idempotent).toBe(true);
    await keyed.send(outgoing({ replyToId: 'a1' }), never);
    const plain = inboxOf(
      await startFakeServer({
        tools: dmsTools({ list: () => noMail, read: () => '', send, sendArguments: ['to', 'message'] }),
      }),
    );
    await plain.send(outgoing({ replyToId: 'a1' }), never);
    expect(plain.idempotent).toBe(false);
    expect(sent).toEqual([
      { to: '@alice', message: 'hi', reply_to: 'a1', idempotency_key: 'claim/@alice/reply/0/0' },
      { to: '@alice', message: 'hi' },
    ]);
  });
});
