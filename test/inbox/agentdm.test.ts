import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startFakeServer, textResult } from './fake-server.js';
import { agentdmTools, callsIn, collector, inboxOf, never, outgoing } from './helpers.js';

const FIXTURES = new URL('../fixtures/inbox/agentdm/', import.meta.url);

interface Fixture {
  about: string;
  result: object;
  expect: { outcome: string; messages: { id: string }[]; mentions?: string[]; until?: number };
}

const fixtures = readdirSync(FIXTURES).map(
  (file) => [file, JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8')) as Fixture] as const,
);

const row = (index: number, change: object = {}) => ({
  message_id: `m${index}`,
  channel: 'direct',
  user: '@alice',
  type: 'agent',
  message: `text ${index}`,
  reply_to: '@alice',
  ...change,
});

describe('every shape of read_messages', () => {
  it.each(fixtures)('%s', async (_file, fixture) => {
    const server = await startFakeServer({ tools: agentdmTools([fixture.result]) });
    const got = collector();
    const outcome = await inboxOf(server).look(got.spool, never);
    expect(outcome).toMatchObject({
      kind: fixture.expect.outcome,
      ...(fixture.expect.until !== undefined && { until: fixture.expect.until }),
    });
    for (const word of fixture.expect.mentions ?? [])
      expect('message' in outcome && outcome.message).toContain(word);
    const messages = got.messages.map((message) => {
      const defined = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined));
      return message.id.startsWith('unnamed-') ? { ...defined, id: 'unnamed' } : defined;
    });
    expect(messages).toEqual(fixture.expect.messages);
  });
});

describe('draining', () => {
  it('reads until there is no more, each batch spooled before the next call', async () => {
    const server = await startFakeServer({
      tools: agentdmTools([
        { messages: [row(1), row(2)], has_more: true },
        { messages: [row(3)], has_more: true },
        { messages: [row(4)], has_more: false },
      ]),
    });
    const order: string[] = [];
    const outcome = await inboxOf(server).look(async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${callsIn(server).length}: ${batch.map((message) => message.id).join(' ')}`);
    }, never);
    expect(outcome).toEqual({ kind: 'looked' });
    expect(order).toEqual(['1: m1 m2', '2: m3', '3: m4']);
    expect(callsIn(server)).toHaveLength(3);
  });

  it.each([
    ['a bare array', (index: number) => [row(index)]],
    ['a single object', (index: number) => row(index)],
  ])('asks again after %s, which does not say whether there is more', async (_name, shape) => {
    const server = await startFakeServer({ tools: agentdmTools([shape(1), shape(2)]) });
    const got = collector();
    expect(await inboxOf(server).look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages.map((message) => message.id)).toEqual(['m1', 'm2']);
    expect(callsIn(server)).toHaveLength(3);
  });

  it('ends when a server returns the same messages again and again, or promises more for ever', async () => {
    const same = await startFakeServer({ tools: agentdmTools([]) });
    for (const tool of same.tools)
      if (tool.name === 'read_messages') tool.call = () => ({ messages: [row(1)], has_more: true });
    expect(await inboxOf(same).look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(callsIn(same)).toHaveLength(2);

    const notices: string[] = [];
    let index = 0;
    const endless = await startFakeServer({ tools: agentdmTools([]) });
    for (const tool of endless.tools) {
      if (tool.name === 'read_messages') tool.call = () => ({ messages: [row(++index)], has_more: true });
    }
    const upstream = inboxOf(endless, { onNotice: (text) => notices.push(text) });
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(callsIn(endless)).toHaveLength(200);
    expect(notices).toHaveLength(1);
  });

  it('takes no more once something could not be read: it would be consumed and lost', async () => {
    const server = await startFakeServer({
      tools: agentdmTools([
        { messages: [row(1), { odd: true }], has_more: true },
        { messages: [row(2)], has_more: false },
      ]),
    });
    const got = collector();
    const upstream = inboxOf(server);
    expect(await upstream.look(got.spool, never)).toMatchObject({ kind: 'unrecognised' });
    expect(got.messages.map((message) => message.id)).toEqual(['m1']);
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages.map((message) => message.id)).toEqual(['m1', 'm2']);
  });

  it('gives two equal messages without an id two ids', async () => {
    const { message_id: _, ...nameless } = row(1);
    const server = await startFakeServer({ tools: agentdmTools([[nameless, nameless]]) });
    const got = collector();
    await inboxOf(server).look(got.spool, never);
    expect(new Set(got.messages.map((message) => message.id)).size).toBe(2);
  });

  it('writes our own name as we know it', async () => {
    const own = row(1, { user: 'Agent', channel: '#ops', reply_to: '#ops' });
    const server = await startFakeServer({ tools: agentdmTools([[own]]) });
    const got = collector();
    const upstream = inboxOf(server, { ownAlias: 'agent' });
    await upstream.look(got.spool, never);
    expect(upstream.ownName).toBe('@agent');
    expect(got.messages[0]?.sender).toBe('@agent');
  });
});

describe('the check', () => {
  it('makes one real call that consumes nothing', async () => {
    const server = await startFakeServer({ tools: agentdmTools([[row(1)]]) });
    expect(await inboxOf(server).check(never)).toEqual({ kind: 'looked' });
    expect(callsIn(server)).toEqual(['call list_channels']);
  });

  it('tells a key that may list tools but not call them', async () => {
    const server = await startFakeServer({ tools: agentdmTools([]) });
    for (const tool of server.tools) {
      tool.call = () => textResult({ error: { code: 'invalid_api_key', message: 'expired' } }, true);
    }
    expect(await inboxOf(server).check(never)).toMatchObject({ kind: 'unauthorised' });
  });
});

describe('sending', () => {
  it('passes target, text and the message it answers', async () => {
    const sent: unknown[] = [];
    const server = await startFakeServer({
      tools: agentdmTools([], (args) => {
        sent.push(args);
        return { message_id: 's9', timestamp: '2026-11-30T12:00:00Z' };
      }),
    });
    const upstream = inboxOf(server);
    expect(await upstream.send(outgoing({ to: '#ops', replyToId: 'm1' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 's9',
    });
    await upstream.send(outgoing({ replyToId: 'unnamed-0123' }), never);
    expect(sent).toEqual([
      { to: '#ops', message: 'hi', reply_to_message_id: 'm1' },
      { to: '@alice', message: 'hi' },
    ]);
    expect(upstream.idempotent).toBe(false);
    expect(upstream.maxChars).toBe(10_000);
  });

  it('counts a sentence as sent, without an id', async () => {
    const server = await startFakeServer({ tools: agentdmTools([], () => 'Message sent.') });
    expect(await inboxOf(server).send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: undefined });
  });

  it.each([
    ['alias_not_found', 'refused'],
    ['recipient_not_found', 'refused'],
    ['not_accessible', 'refused'],
    ['not_channel_member', 'refused'],
    ['self_message', 'refused'],
    ['message_too_long', 'refused'],
    ['a_code_of_tomorrow', 'refused'],
    ['quota_exceeded', 'later'],
    ['trial_expired', 'later'],
    ['rate_limit_exceeded', 'later'],
    ['RATE-LIMIT-EXCEEDED', 'later'],
    ['invalid_api_key', 'unauthorised'],
    ['internal_error', 'unsure'],
    ['constructor', 'refused'],
  ])('%s is %s', async (code, kind) => {
    const server = await startFakeServer({
      tools: agentdmTools([], () =>
        textResult({ error: { code, message: 'because of agentdm_feedc0ffee' } }, true),
      ),
    });
    const outcome = await inboxOf(server).send(outgoing(), never);
    expect(outcome).toMatchObject({ kind, message: expect.stringContaining('because') });
    expect(JSON.stringify(outcome)).not.toContain('feedc0ffee');
  });

  it('a refusal that is only a sentence is passed on, short and on one line', async () => {
    const server = await startFakeServer({
      tools: agentdmTools([], () => textResult(`Filtered:\n${'x'.repeat(5_000)}`, true)),
    });
    const outcome = await inboxOf(server).send(outgoing(), never);
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringMatching(/^.*Filtered: x+…$/) });
    expect('message' in outcome && outcome.message.length).toBeLessThan(300);
  });

  it('a code inside a sentence is understood', async () => {
    const server = await startFakeServer({
      tools: agentdmTools([], () => textResult('Error: rate_limit_exceeded, try later', true)),
    });
    expect(await inboxOf(server).send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });
});
