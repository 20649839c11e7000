// Which era of MCP is spoken: what a server is greeted with, what tells of the other one, and a change under way.
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doubtOf } from '../../src/inbox/era.js';
import { startModernInbox } from '../support/modern-inbox.js';
import { type FakeOptions, type FakeServer, startFakeServer } from './fake-server.js';
import { agentdmTools, callsIn, collector, dmsTools, inboxOf, never, outgoing } from './helpers.js';

const emptyDms = () =>
  dmsTools({ list: () => ({ dms: [] }), read: () => ({ messages: [] }), ack: () => ({}) });
const JSON_TYPE = { 'content-type': 'application/json' };

function answer(
  response: ServerResponse,
  code: number,
  body = '',
  headers: Record<string, string> = JSON_TYPE,
): true {
  response.writeHead(code, headers).end(body);
  return true;
}

const rpcError = (id: unknown, code: number, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no', ...(data && { data }) } });

const greetings = (server: { log: readonly string[] }): string[] =>
  server.log.filter((line) => line === 'initialize' || line === 'server/discover');

/** An old server that answers `server/discover` in this way. */
async function oldServer(
  discover: (id: unknown, response: ServerResponse) => boolean,
  options: FakeOptions = {},
): Promise<FakeServer> {
  const server = await startFakeServer({ tools: emptyDms(), ...options });
  server.intercept = (rpc, response) => rpc.method === 'server/discover' && discover(rpc.id, response);
  return server;
}

async function modernServer(options: Parameters<typeof startModernInbox>[0] = {}) {
  const server = await startModernInbox(options);
  onTestFinished(() => server.close());
  return server;
}

describe('an old server', () => {
  it.each<[string, (id: unknown, response: ServerResponse) => boolean]>([
    ['400', (_id, response) => answer(response, 400)],
    ['400 and a session that is missing', (id, response) => answer(response, 400, rpcError(id, -32_000))],
    ['404', (_id, response) => answer(response, 404, 'Not Found', {})],
    ['405', (_id, response) => answer(response, 405)],
    ['415', (_id, response) => answer(response, 415)],
    ['-32601', (id, response) => answer(response, 200, rpcError(id, -32_601))],
    ['-32602', (id, response) => answer(response, 200, rpcError(id, -32_602))],
    ['-32603', (id, response) => answer(response, 200, rpcError(id, -32_603))],
    ['500', (_id, response) => answer(response, 500)],
    ['202 and nothing', (_id, response) => answer(response, 202)],
    [
      'a stream with nothing in it',
      (_id, response) => answer(response, 200, '', { 'content-type': 'text/event-stream' }),
    ],
    [
      'a result of its own',
      (id, response) => answer(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: {} })),
    ],
    ['a page', (_id, response) => answer(response, 200, '<html>', { 'content-type': 'text/html' })],
    [
      'its versions',
      (id, response) => answer(response, 400, rpcError(id, -32_022, { supported: ['2025-06-18'] })),
    ],
  ])(
    'that answers the new question with %s is greeted the old way, and not asked again',
    async (_how, discover) => {
      const server = await oldServer(discover);
      const upstream = inboxOf(server);
      expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
      expect(upstream.protocol).toBe('MCP 2025-11-25');
      server.sessions.clear();
      expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
      expect(greetings(server)).toEqual(['server/discover', 'initialize', 'initialize']);
    },
  );

  it('that never answers the new question costs its time limit once', async () => {
    const server = await oldServer(() => true);
    const upstream = inboxOf(server, { callTimeoutMs: 1_000 });
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    server.sessions.clear();
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(greetings(server)).toEqual(['server/discover', 'initialize', 'initialize']);
  });

  it('gets nothing new in what follows', async () => {
    const server = await oldServer((_id, response) => answer(response, 404));
    await inboxOf(server).check(never);
    for (const headers of server.headers.slice(1)) {
      expect(headers).not.toHaveProperty('mcp-method');
      expect(headers['mcp-protocol-version'] ?? '2025-11-25').toBe('2025-11-25');
    }
  });

  it('that refuses both greetings is told of by the second', async () => {
    const server = await oldServer((_id, response) => answer(response, 404));
    server.intercept = (rpc, response) => answer(response, rpc.method === 'initialize' ? 401 : 404);
    expect(await inboxOf(server).check(never)).toMatchObject({ kind: 'unauthorised' });
  });
});

describe('a server of both eras', () => {
  it('is spoken to in the newer one', async () => {
    const server = await modernServer({ legacy: 'stateless' });
    const upstream = inboxOf(server);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect([upstream.protocol, greetings(server)]).toEqual(['MCP 2026-07-28', ['server/discover']]);
  });

  it('is spoken to in the older one where it refuses our version of the newer', async () => {
    const server = await oldServer((id, response) =>
      answer(response, 400, rpcError(id, -32_022, { supported: ['2027-01-01', '2025-11-25'] })),
    );
    const upstream = inboxOf(server);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(upstream.protocol).toBe('MCP 2025-11-25');
  });
});

describe('a server that speaks nothing of ours', () => {
  it.each([
    [
      'a refusal',
      (id: unknown) => rpcError(id, -32_022, { supported: ['2027-01-01'], requested: '2026-07-28' }),
    ],
    [
      'what it discovers',
      (id: unknown) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: { resultType: 'complete', supportedVersions: ['2027-01-01'], capabilities: {} },
        }),
    ],
  ])('says so in %s: its versions are told, nothing else is tried, a send waits', async (_where, body) => {
    const server = await oldServer((id, response) => answer(response, 200, body(id)));
    const upstream = inboxOf(server);
    expect(await upstream.check(never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringMatching(/speaks MCP 2027-01-01 .*newer/),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    expect(greetings(server)).toEqual(['server/discover', 'server/discover']);
  });
});

describe('a server that changes under way', () => {
  const portOf = (server: { url: string }): number => Number(new URL(server.url).port);

  it('from old to new: the read goes on in the new era, and it is said once', async () => {
    const old = await startFakeServer({ tools: emptyDms() });
    const notices: string[] = [];
    const upstream = inboxOf(old, { onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    await old.close();
    const server = await modernServer({ port: portOf(old) });
    // The first look may meet the closed socket.
    await upstream.look(collector().spool, never);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(upstream.protocol).toBe('MCP 2026-07-28');
    expect(server.log).toContain('initialize');
    expect(notices.filter((text) => text.includes('speaks MCP 2026-07-28 now'))).toHaveLength(1);
  });

  it('from new to old: the same', async () => {
    const server = await modernServer();
    const notices: string[] = [];
    const upstream = inboxOf(server, { onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    await server.close();
    const old = await startFakeServer({ tools: emptyDms(), port: portOf(server) });
    await upstream.look(collector().spool, never);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(upstream.protocol).toBe('MCP 2025-11-25');
    expect(greetings(old)).toEqual(['server/discover', 'initialize']);
    expect(notices.filter((text) => text.includes('speaks MCP 2025-11-25 now'))).toHaveLength(1);
  });

  it('from old to new, and refuses our key there: that is what is told', async () => {
    const old = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf(old);
    await upstream.check(never);
    await old.close();
    const server = await modernServer({ port: portOf(old) });
    server.intercept = (rpc, response) => rpc.method === 'server/discover' && answer(response, 401);
    await upstream.look(collector().spool, never);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'unauthorised' });
  });

  it('behind one address, which a send that cannot be repeated does not survive, but a later one does', async () => {
    const server = await startFakeServer({ tools: agentdmTools([]) });
    const upstream = inboxOf(server);
    await upstream.check(never);
    const refuse = (id: unknown, response: ServerResponse) =>
      answer(response, 400, rpcError(id, -32_022, { supported: ['2026-07-28'] }));
    let refused = 0;
    server.intercept = (rpc, response) => {
      if (refused > 0 || rpc.method !== 'tools/call') return false;
      refused += 1;
      return refuse(rpc.id, response);
    };
    // Not "refused for good": the version is no property of the message.
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
    expect(callsIn(server).filter((line) => line === 'call send_message')).toHaveLength(2);
  });
});

describe('what a failed greeting says', () => {
  const failure = { kind: 'failed', message: '', mayHaveArrived: false } as const;
  it.each([
    ['a refused key', { reason: 'unauthorised' }, undefined, 'none'],
    ['"wait"', { reason: 'rate-limited' }, undefined, 'none'],
    ['an abort', { reason: 'aborted' }, undefined, 'none'],
    ['no connection', { reason: 'down' }, undefined, 'none'],
    ['503', { reason: 'down', status: 503 }, undefined, 'none'],
    ['502 of an unknown server', { reason: 'down', status: 502 }, undefined, 'some'],
    ['502 of one known to be modern', { reason: 'down', status: 502 }, 'modern', 'none'],
    ['silence', { reason: 'down', unanswered: 'silent' }, undefined, 'some'],
    ['a cut of one known to be modern', { reason: 'down', unanswered: 'cut' }, 'modern', 'none'],
    ['a refusal', { reason: 'rejected' }, 'modern', 'strong'],
    ['no MCP', { reason: 'unrecognised', status: 404 }, undefined, 'strong'],
    ['older versions', { reason: 'unrecognised', versions: ['2024-11-05'] }, undefined, 'strong'],
    ['newer versions only', { reason: 'unrecognised', versions: ['2027-01-01'] }, undefined, 'none'],
  ] as const)('%s', (_what, more, known, doubt) => {
    expect(doubtOf({ ...failure, ...more }, 'modern', known)).toBe(doubt);
  });

  it('of the old greeting: new versions, or no understanding, but no outage', () => {
    const versions = ['2026-07-28'];
    expect(doubtOf({ ...failure, reason: 'unrecognised', versions }, 'legacy', 'legacy')).toBe('strong');
    expect(doubtOf({ ...failure, reason: 'rejected' }, 'legacy', undefined)).toBe('strong');
    expect(doubtOf({ ...failure, reason: 'down', status: 500 }, 'legacy', undefined)).toBe('none');
    expect(doubtOf({ ...failure, reason: 'down', unanswered: 'silent' }, 'legacy', undefined)).toBe('none');
  });
});

describe('a redirect', () => {
  it('to another host is not followed, so that the key stays here; the place is named', async () => {
    const elsewhere = await startFakeServer({ tools: emptyDms() });
    const server = await startFakeServer({ tools: emptyDms() });
    const headers = { location: elsewhere.url.replace('127.0.0.1', 'localhost') };
    server.intercept = (_rpc, response) => answer(response, 307, '', headers);
    expect(await inboxOf(server).check(never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining(headers.location),
    });
    expect(elsewhere.log).toEqual([]);
  });

  it('on the same host is followed', async () => {
    const server = await startFakeServer({ tools: emptyDms() });
    const upstream = inboxOf({ url: `${server.url}/old` });
    server.intercept = (_rpc, response, request) =>
      request.url === '/mcp/old' && answer(response, 307, '', { location: '/mcp' });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
  });
});
