// An inbox that speaks MCP 2026-07-28 and nothing older: no session, no greeting, each request by itself.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../src/lib/deferred.js';
import { type ModernInbox, type ModernOptions, startModernInbox } from '../support/modern-inbox.js';
import { clock, collector, inboxOf, NOW, never, outgoing } from './helpers.js';

async function modern(options: ModernOptions = {}): Promise<ModernInbox> {
  const server = await startModernInbox(options);
  onTestFinished(() => server.close());
  return server;
}

function status(
  response: ServerResponse,
  code: number,
  headers: Record<string, string> = {},
  body = '',
): true {
  response.writeHead(code, headers).end(body);
  return true;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const KEY = 'agentdm_feedc0ffee';
const calls = (server: ModernInbox): string[] => server.log.filter((line) => line.startsWith('call '));

describe('talking with it', () => {
  const ways = (['json', 'sse'] as const).flatMap((reply) =>
    (['dms', 'agentdm'] as const).map((vocabulary) => [vocabulary, reply] as const),
  );

  it.each(ways)('%s, answered in %s: checked, looked at, written to', async (vocabulary, reply) => {
    const server = await modern({ vocabularies: [vocabulary], reply, key: KEY });
    const upstream = inboxOf(server);
    expect(upstream.protocol).toBeUndefined();
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(upstream.protocol).toBe('MCP 2026-07-28');
    server.arrive('@alice', 'hello');
    server.arrive('@alice', 'are you there?');
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages.map(({ id, sender, text }) => [id, sender, text])).toEqual([
      ['m1', '@alice', 'hello'],
      ['m2', '@alice', 'are you there?'],
    ]);
    const again = collector();
    expect(await upstream.look(again.spool, never)).toEqual({ kind: 'looked' });
    expect(again.messages).toEqual([]);
    expect(await upstream.send(outgoing({ text: 'yes — ünïcode' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 's1',
    });
    expect(server.sent).toMatchObject([{ to: '@alice', message: 'yes — ünïcode' }]);
    expect(await upstream.send(outgoing({ to: '@nobody', idempotencyKey: 'other' }), never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Recipient not found'),
    });
    await upstream.close();
    expect(server.log.slice(0, 2)).toEqual(['server/discover', 'tools/list']);
    expect(server.log.slice(2).every((line) => line.startsWith('call '))).toBe(true);
    expect(server.headers.some((headers) => 'mcp-session-id' in headers)).toBe(false);
    expect(server.headers.at(-1)).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': vocabulary === 'dms' ? 'send_dm' : 'send_message',
    });
  });

  it('leaves mail unread until it is on disk', async () => {
    const server = await modern({ vocabularies: ['dms'] });
    server.arrive('@alice', 'hello');
    const upstream = inboxOf(server);
    const full = new Error('the disk is full');
    await expect(upstream.look(() => Promise.reject(full), never)).rejects.toBe(full);
    const got = collector();
    await upstream.look(got.spool, never);
    expect(got.messages.map(({ id }) => id)).toEqual(['m1']);
  });

  it('repeats an argument in a header where a tool wants that', async () => {
    const to = z.string().meta({ 'x-mcp-header': 'Recipient' });
    const server = await modern({
      vocabularies: [],
      extend(inbox) {
        inbox.registerTool('read_messages', { inputSchema: z.object({}) }, () => ({ content: [] }));
        inbox.registerTool('send_message', { inputSchema: z.object({ to, message: z.string() }) }, () => ({
          content: [{ type: 'text', text: '{"message_id":"s7"}' }],
        }));
      },
    });
    expect(await inboxOf(server).send(outgoing({ to: '@zoë' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 's7',
    });
    expect(server.headers.at(-1)).toHaveProperty('mcp-param-recipient');
  });

  it('is not put off by odd tools, odd content, or fields that the revision asks for and that are missing', async () => {
    const server = await modern();
    const tools = [
      { name: 'broken', inputSchema: 7 },
      { no: 'name' },
      'nonsense',
      { name: 'list_dms' },
      { name: 'read_dm' },
      { name: 'send_dm', inputSchema: { type: 'object', properties: { to: {}, message: {} } } },
    ];
    const results: Record<string, unknown> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'hologram' }, { type: 'text', text: '{"dms": []}' }] },
    };
    server.intercept = ({ id, method }, response) =>
      status(response, 200, JSON_TYPE, JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    expect(await inboxOf(server).look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('cannot give what a tool wants from a person first: refused, in a sentence', async () => {
    const server = await modern({
      vocabularies: [],
      extend(inbox) {
        inbox.registerTool('read_messages', { inputSchema: z.object({}) }, () => ({ content: [] }));
        const input = z.object({ to: z.string(), message: z.string() });
        inbox.registerTool('send_message', { inputSchema: input }, () =>
          inputRequired({ requestState: 'later' }),
        );
      },
    });
    expect(await inboxOf(server).send(outgoing(), never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('more input'),
    });
  });
});

describe('when it refuses or fails', () => {
  it.each([401, 403])('%i is unauthorised, and no old greeting is tried', async (code) => {
    const server = await modern();
    server.intercept = (_rpc, response) => status(response, code);
    const upstream = inboxOf(server);
    const look = await upstream.look(collector().spool, never);
    expect(look).toMatchObject({ kind: 'unauthorised' });
    expect(JSON.stringify(look)).not.toContain('feedc0ffee');
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unauthorised' });
    expect(server.log).toEqual(['server/discover', 'server/discover']);
  });

  it('a key revoked in the middle is unauthorised too', async () => {
    const server = await modern();
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (_rpc, response) => status(response, 401);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'unauthorised' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unauthorised' });
  });

  it('429 to the first question is "wait", not "an old server", and is told with its end', async () => {
    const server = await modern();
    const upstream = inboxOf(server);
    server.intercept = (_rpc, response) => status(response, 429, { 'retry-after': '30' });
    const until = NOW + 30_000;
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'rate-limited', until });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later', until });
    expect(server.log).toEqual(['server/discover', 'server/discover']);
    server.intercept = () => false;
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    server.intercept = (_rpc, response) => status(response, 429, { 'retry-after': '30' });
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'rate-limited', until });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later', until });
    expect(server.log.filter((line) => line === 'initialize')).toEqual([]);
  });

  it('503 to the first question is an outage, and says when to come back', async () => {
    const server = await modern();
    const upstream = inboxOf(server);
    server.intercept = (_rpc, response) => status(response, 503, { 'retry-after': '5' });
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later', until: NOW + 5_000 });
    expect(server.log).toEqual(['server/discover', 'server/discover']);
  });

  it('500 to the first question is tried the old way once, and told as what it was', async () => {
    const server = await modern();
    const upstream = inboxOf(server);
    server.intercept = (rpc, response) => rpc.method === 'server/discover' && status(response, 500);
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('HTTP 500'),
    });
    expect(server.log).toEqual(['server/discover', 'initialize']);
    server.intercept = () => false;
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    server.log.length = 0;
    // Known to be modern, it is not asked the old way any more.
    server.intercept = (_rpc, response) => status(response, 500);
    await upstream.look(collector().spool, never);
    await upstream.look(collector().spool, never);
    expect(server.log).not.toContain('initialize');
  });

  it('500 to a call is down for a look, and unsure for a send', async () => {
    const server = await modern();
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (rpc, response) => rpc.method === 'tools/call' && status(response, 500);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
  });

  it.each([
    [200, -32_602, 'refused'],
    [400, -32_602, 'refused'],
    [400, -32_021, 'refused'],
    [400, -32_020, 'refused'],
    [404, -32_601, 'refused'],
    [200, -32_603, 'unsure'],
  ])('HTTP %i with the JSON-RPC error %i makes a send %s', async (code, rpcCode, kind) => {
    const server = await modern({ vocabularies: ['agentdm'] });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = ({ id, method }, response) => {
      const error = { code: rpcCode, message: 'no such thing' };
      const body = JSON.stringify({ jsonrpc: '2.0', id, error });
      return method === 'tools/call' && status(response, code, JSON_TYPE, body);
    };
    expect(await upstream.send(outgoing(), never)).toMatchObject({
      kind,
      message: expect.stringContaining('no such thing'),
    });
  });

  it('a restart between two looks goes unnoticed', async () => {
    const first = await modern();
    const notices: string[] = [];
    const upstream = inboxOf(first, { onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    await first.close();
    const second = await modern({ port: Number(new URL(first.url).port) });
    // The first look may meet the closed socket; it is the second one that must work.
    await upstream.look(collector().spool, never);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(second.log).not.toContain('initialize');
    expect(notices).toEqual([]);
  });

  it('is asked something harmless before a send that cannot be repeated, once some time has passed', async () => {
    let now = NOW;
    const server = await modern({ vocabularies: ['agentdm'] });
    const upstream = inboxOf(server, { clock: { ...clock, now: () => now } });
    await upstream.check(never);
    await server.close();
    now += 10_000;
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });

  it('hangs: the look is down, the send unsure, and neither leaves its connection open', async () => {
    const server = await modern();
    const upstream = inboxOf(server, { callTimeoutMs: 1_000 });
    await upstream.check(never);
    const ended: Promise<unknown>[] = [];
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/call') return false;
      ended.push(once(response, 'close'));
      return true;
    };
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('1 s'),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
    expect(ended).toHaveLength(2);
    await Promise.all(ended);
    expect(server.log).not.toContain('notifications/cancelled');
  });
});

describe('an abort', () => {
  it('while it is asked what it speaks ends the look and the connection at once', async () => {
    const server = await modern();
    // The time limit of the question never comes: only the abort can end it.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const upstream = inboxOf(server, { callTimeoutMs: 600_000 });
    const asked = deferred();
    const closed = deferred();
    server.intercept = (_rpc, response) => {
      response.on('close', () => closed.resolve());
      asked.resolve();
      return true;
    };
    const abort = new AbortController();
    const look = upstream.look(collector().spool, abort.signal);
    await asked.promise;
    abort.abort();
    expect(await look).toMatchObject({ kind: 'down' });
    await upstream.close();
    await closed.promise;
    expect(server.log).toEqual(['server/discover']);
  });

  it('after the request is out: the send is unsure, and its connection is ended', async () => {
    const server = await modern();
    const upstream = inboxOf(server, { callTimeoutMs: 600_000 });
    await upstream.check(never);
    const abort = new AbortController();
    let ended: Promise<unknown> | undefined;
    server.intercept = (rpc, response) => {
      if (rpc.params?.name !== 'send_dm') return false;
      ended = once(response, 'close');
      abort.abort();
      return true;
    };
    expect(await upstream.send(outgoing(), abort.signal)).toMatchObject({ kind: 'unsure' });
    await ended;
    expect(calls(server)).toEqual(['call list_dms', 'call send_dm']);
  });
});
