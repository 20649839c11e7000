import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/lib/deferred.js';
import { rpcBody, startFakeServer, textResult } from './fake-server.js';
import {
  agentdmTools,
  callsIn,
  clock,
  collector,
  dmsTools,
  inboxOf,
  NOW,
  never,
  outgoing,
} from './helpers.js';

const MESSAGE = { message_id: 'm1', channel: 'direct', user: '@alice', type: 'agent', message: 'hello' };
const emptyDms = () =>
  dmsTools({ list: () => ({ dms: [] }), read: () => ({ messages: [] }), ack: () => ({}) });

function status(
  response: ServerResponse,
  code: number,
  headers: Record<string, string> = {},
  body = '',
): true {
  response.writeHead(code, headers).end(body);
  return true;
}

/** A port nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('the connection', () => {
  it('makes no request before it is used', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.close();
    expect(server.log).toEqual([]);
  });

  it.each(['json', 'sse'] as const)(
    'speaks with a server that answers in %s, over one session',
    async (reply) => {
      const server = await startFakeServer({ tools: emptyDms(), reply });
      const upstream = inboxOf(server);
      expect(await upstream.check(never)).toEqual({ kind: 'looked' });
      expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
      expect(server.log).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
        'tools/list',
        'call list_dms',
        'call list_dms',
      ]);
      expect(server.headers[0]?.authorization).toBe('Bearer agentdm_feedc0ffee');
    },
  );

  it('works with a server that has no sessions', async () => {
    const server = await startFakeServer({ tools: emptyDms(), stateful: false });
    expect(await inboxOf(server).look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('never opens the standing stream, unless asked to', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    await inboxOf(server).check(never);
    expect(server.log).not.toContain('GET');
    const listening = await startFakeServer({ tools: emptyDms() });
    await inboxOf(listening, { onAnnounced: () => {} }).check(never);
    expect(listening.log).toContain('GET');
  });

  it('shares one greeting between callers that come at once', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await Promise.all([
      upstream.check(never),
      upstream.look(collector().spool, never),
      upstream.send(outgoing(), never),
    ]);
    expect(server.log.filter((line) => line === 'initialize')).toHaveLength(1);
  });

  it('ends the session on the server when it closes, and stays closed', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    expect(server.sessions.size).toBe(1);
    await upstream.close();
    expect(server.sessions.size).toBe(0);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    await upstream.close();
    expect(server.log.at(-1)).toBe('DELETE');
  });

  it('closes without rejecting when the server is gone', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    await server.close();
    await expect(upstream.close()).resolves.toBeUndefined();
  });

  it('reads the tools although one of them is malformed or has a schema that does not compile', async () => {
    const server = await startFakeServer({
      tools: [
        {
          name: 'broken',
          inputSchema: 7,
          outputSchema: { type: 'object', properties: { a: { pattern: '(' } } },
          call: () => '',
        },
        ...emptyDms(),
      ],
    });
    expect(await inboxOf(server).check(never)).toEqual({ kind: 'looked' });
  });

  it('follows the pages of a long list of tools', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/list') return false;
      const tools = server.tools.map(({ name }) => ({ name }));
      const page =
        rpc.params?.cursor === 'p2'
          ? { tools: tools.slice(2) }
          : { tools: tools.slice(0, 2), nextCursor: 'p2' };
      return status(response, 200, { 'content-type': 'application/json' }, rpcBody(rpc.id, page));
    };
    expect(await inboxOf(server).check(never)).toEqual({ kind: 'looked' });
  });
});

describe('a session that the server forgot', () => {
  it.each([404, 400] as const)('is renewed after %i, and the read repeated once', async (unknownSession) => {
    const notices: string[] = [];
    const server = await startFakeServer({ tools: emptyDms(), unknownSession });
    const upstream = inboxOf(server, { onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    server.sessions.clear();
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(callsIn(server)).toEqual(['call list_dms', 'call list_dms', 'call list_dms']);
    expect(server.log.filter((line) => line === 'initialize')).toHaveLength(2);
    expect(notices).toHaveLength(1);
  });

  it('is not chased for ever when the server forgets every session at once', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    server.intercept = (rpc, response) => rpc.method === 'tools/call' && status(response, 404);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(callsIn(server)).toHaveLength(2);
    server.intercept = () => false;
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('does not repeat a send, which may be tried again later', async () => {
    const server = await startFakeServer({ tools: agentdmTools([]) });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.sessions.clear();
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    expect(callsIn(server).filter((line) => line === 'call send_message')).toHaveLength(1);
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
  });

  it('is noticed before a send that cannot be repeated, once some time has passed', async () => {
    let now = NOW;
    const server = await startFakeServer({ tools: agentdmTools([]) });
    const upstream = inboxOf(server, { clock: { ...clock, now: () => now } });
    await upstream.check(never);
    server.sessions.clear();
    now += 10_000;
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
    expect(callsIn(server).filter((line) => line === 'call send_message')).toHaveLength(1);
    // The same for a connection that died while it was idle: not unsure, but later.
    await server.close();
    now += 10_000;
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });

  it('costs a send no extra request while the connection is fresh, or where it has a key', async () => {
    let now = NOW;
    for (const tools of [agentdmTools([]), emptyDms()]) {
      const server = await startFakeServer({ tools });
      const upstream = inboxOf(server, { clock: { ...clock, now: () => now } });
      await upstream.check(never);
      const before = server.log.length;
      await upstream.send(outgoing(), never);
      now += 10_000;
      if (upstream.idempotent) await upstream.send(outgoing(), never);
      expect(server.log.slice(before).every((line) => line.startsWith('call send_'))).toBe(true);
    }
  });

  it('repeats a send that carries an idempotency key', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.sessions.clear();
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
    expect(callsIn(server).filter((line) => line === 'call send_dm')).toHaveLength(2);
  });

  it('does not leave sessions behind on the server', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    for (let round = 0; round < 5; round += 1) {
      await upstream.check(never);
      server.intercept = (rpc, response) => rpc.method === 'tools/call' && status(response, 500);
      expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
      server.intercept = () => false;
    }
    await upstream.close();
    expect(server.sessions.size).toBe(0);
  });
});

describe('a server that refuses or fails', () => {
  it.each([401, 403])('%i is unauthorised, for looks and sends, and is not asked twice', async (code) => {
    const server = await startFakeServer({ tools: emptyDms() });
    server.intercept = (_rpc, response) => status(response, code);
    const upstream = inboxOf(server);
    const look = await upstream.look(collector().spool, never);
    expect(look).toMatchObject({ kind: 'unauthorised', message: expect.stringContaining('mcp-remote') });
    expect(JSON.stringify(look)).not.toContain('feedc0ffee');
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unauthorised' });
    expect(server.log).toEqual(['server/discover', 'server/discover']);
  });

  it('401 without any key says that there is none, and not that it is wrong', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    server.intercept = (_rpc, response) => status(response, 401);
    const look = await inboxOf(server, { server: { type: 'http', url: server.url } }).look(
      collector().spool,
      never,
    );
    expect(look).toMatchObject({
      kind: 'unauthorised',
      message: expect.stringMatching(
        /wants a key \(HTTP 401\): its entry in \.mcp\.json has an url and none/,
      ),
    });
    expect(JSON.stringify(look)).not.toContain('check it');
  });

  it('a key revoked in the middle is unauthorised too', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (_rpc, response) => status(response, 401);
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unauthorised' });
  });

  it.each([
    ['30', NOW + 30_000],
    ['Mon, 30 Nov 2026 12:10:00 GMT', NOW + 600_000],
    ['soon', undefined],
  ])('429 with Retry-After %s is told with its end', async (header, until) => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (_rpc, response) => status(response, 429, { 'retry-after': header });
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'rate-limited', until });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later', until });
    server.intercept = () => false;
    await upstream.look(collector().spool, never);
    expect(server.log.filter((line) => line === 'initialize')).toHaveLength(1);
  });

  it.each([500, 502, 504])('%i is down for a look and unsure for a send', async (code) => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (rpc, response) => rpc.method === 'tools/call' && status(response, code);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
  });

  it('503 says that nothing was taken', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (_rpc, response) => status(response, 503, { 'retry-after': '5' });
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });

  it('an address that is no MCP server is unrecognised, and a send waits', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    server.intercept = (_rpc, response) => status(response, 404, {}, 'Not Found');
    expect(await upstream.check(never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('404'),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    server.intercept = (_rpc, response) => status(response, 200, { 'content-type': 'text/html' }, '<html>');
    expect(await upstream.check(never)).toMatchObject({ kind: 'unrecognised' });
  });

  it('a server that nobody started is down, a send waits, and both go on when it is up', async () => {
    const port = await freePort();
    const upstream = inboxOf({ url: `http://127.0.0.1:${port}/mcp` });
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    await startFakeServer({ tools: emptyDms(), port });
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('a server that went away after the greeting cannot have taken a send', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    server.intercept = (_rpc, response) => {
      response.setHeader('connection', 'close');
      return false;
    };
    const upstream = inboxOf(server);
    await upstream.check(never);
    await server.close();
    expect(await upstream.send(outgoing(), never)).toMatchObject({
      kind: 'later',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a restart of the server between two looks goes unnoticed', async () => {
    const first = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(first);
    await upstream.check(never);
    await first.close();
    await startFakeServer({ tools: emptyDms(), port: Number(new URL(first.url).port) });
    // The first look may meet the closed socket; it is the second one that must work.
    await upstream.look(collector().spool, never);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('a JSON-RPC error is told with the sentence of the server', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    const error = (code: number) => {
      server.intercept = (rpc, response) =>
        rpc.method === 'tools/call' &&
        status(
          response,
          200,
          { 'content-type': 'application/json' },
          JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error: { code, message: 'no such thing' } }),
        );
    };
    error(-32_602);
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('no such thing'),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'refused' });
    error(-32_603);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
  });
});

describe('a server that does not finish', () => {
  it('hangs: the look is down, the send unsure, and neither leaves its connection open', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
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
  });

  it('cuts its SSE reply: the look is down, the send unsure, and the next look works', async () => {
    const server = await startFakeServer({ tools: emptyDms(), reply: 'sse' });
    const upstream = inboxOf(server, { callTimeoutMs: 1_000 });
    await upstream.check(never);
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"jsonrpc":', () => response.destroy());
      return true;
    };
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
    server.intercept = () => false;
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
  });

  it('cuts the connection before it answers: a send is unsure', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (rpc, response) => {
      if (rpc.method === 'tools/call') response.destroy();
      return rpc.method === 'tools/call';
    };
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
  });

  it('answers with garbage: unrecognised, and unsure for a send', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    server.intercept = (rpc, response) =>
      rpc.method === 'tools/call' && status(response, 200, { 'content-type': 'application/json' }, '{"jso');
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'unrecognised' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
  });

  it('a look that gives up its session does not cut a send that runs on it', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    const sending = deferred();
    const lookFailed = deferred();
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/call') return false;
      if (rpc.params?.name === 'list_dms') {
        void sending.promise.then(() => status(response, 500));
      } else {
        sending.resolve();
        const answer = rpcBody(rpc.id, textResult({ message_id: 'late' }));
        void lookFailed.promise.then(() =>
          status(response, 200, { 'content-type': 'application/json' }, answer),
        );
      }
      return true;
    };
    const look = upstream.look(collector().spool, never);
    const send = upstream.send(outgoing(), never);
    expect(await look).toMatchObject({ kind: 'down' });
    // Long enough for the old session to be ended under the send, if anybody did that.
    const held = server.intercept;
    server.intercept = () => false;
    for (let round = 0; round < 3; round += 1)
      expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    server.intercept = held;
    lookFailed.resolve();
    expect(await send).toEqual({ kind: 'sent', upstreamId: 'late' });
  });
});

describe('an abort', () => {
  it('before the request is out: the send may be tried later', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    expect(await upstream.send(outgoing(), AbortSignal.abort())).toMatchObject({ kind: 'later' });
    await upstream.check(never);
    expect(await upstream.send(outgoing(), AbortSignal.abort())).toMatchObject({ kind: 'later' });
    expect(callsIn(server)).toEqual(['call list_dms']);
  });

  it('while still connecting: later, and the others who wait for the connection get it', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    const greeting = deferred();
    const gate = deferred();
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'initialize') return false;
      greeting.resolve();
      void gate.promise.then(() => {
        server.intercept = () => false;
        const result = {
          protocolVersion: rpc.params?.protocolVersion,
          capabilities: {},
          serverInfo: { name: 'f', version: '1' },
        };
        server.sessions.add('s');
        status(
          response,
          200,
          { 'content-type': 'application/json', 'mcp-session-id': 's' },
          rpcBody(rpc.id, result),
        );
      });
      return true;
    };
    const abort = new AbortController();
    const given = upstream.send(outgoing(), abort.signal);
    const kept = upstream.look(collector().spool, never);
    await greeting.promise;
    abort.abort();
    expect(await given).toMatchObject({ kind: 'later' });
    gate.resolve();
    expect(await kept).toEqual({ kind: 'looked' });
    expect(server.log.filter((line) => line === 'initialize')).toHaveLength(1);
  });

  it('after the request is out: the send is unsure', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server);
    await upstream.check(never);
    const abort = new AbortController();
    server.intercept = (rpc) => {
      if (rpc.params?.name !== 'send_dm') return false;
      abort.abort();
      return true;
    };
    expect(await upstream.send(outgoing(), abort.signal)).toMatchObject({ kind: 'unsure' });
  });

  it('ends a look that only peeks at once', async () => {
    const peeking = await startFakeServer({ tools: emptyDms() });
    const abortPeek = new AbortController();
    peeking.intercept = (rpc) => {
      if (rpc.method !== 'tools/call') return false;
      abortPeek.abort();
      return true;
    };
    expect(await inboxOf(peeking).look(collector().spool, abortPeek.signal)).toMatchObject({ kind: 'down' });
  });

  const plainDms = () =>
    dmsTools({
      list: () => ({ dms: [{ with: '@alice', unread: 1 }] }),
      read: () => ({ messages: [{ id: 'm1', text: 'hello' }], has_more: true }),
    });
  it.each([
    ['read_messages', () => agentdmTools([{ messages: [MESSAGE], has_more: true }])],
    ['read_dm', plainDms],
  ] as const)('waits for the answer of %s, which consumes, spools it and stops', async (tool, tools) => {
    const abort = new AbortController();
    const server = await startFakeServer({ tools: tools() });
    server.intercept = (rpc) => {
      if (rpc.params?.name === tool) abort.abort();
      return false;
    };
    const got = collector();
    expect(await inboxOf(server).look(got.spool, abort.signal)).toMatchObject({ kind: 'down' });
    expect(got.messages.map((message) => message.id)).toEqual(['m1']);
    expect(callsIn(server).filter((line) => line === `call ${tool}`)).toHaveLength(1);
  });

  it('leaves no listener on the signal that lives as long as the worker', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(server, { clock });
    let listeners = 0;
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as typeof signal.removeEventListener;
    for (let round = 0; round < 5; round += 1) await upstream.look(collector().spool, signal);
    expect(listeners).toBe(0);
    expect(server.log).not.toContain('notifications/cancelled');
  });
});
