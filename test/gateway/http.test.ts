import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayApp } from '../../src/gateway/index.js';
import { deferred } from '../../src/lib/deferred.js';
import { type RunningGateway, ScriptedTurns, startGateway } from './support.js';

let running: RunningGateway;

beforeEach(async () => {
  running = await startGateway();
});

afterEach(() => running.close());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

const MCP = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(running.url, {
    method: 'POST',
    headers: { ...MCP, authorization: 'Bearer open-token', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const text = await response.text();
  return { status: response.status, type, body: type === 'application/json' ? JSON.parse(text) : text };
}

const rpc = (method: string, params?: object, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

describe('raw JSON-RPC', () => {
  it('initialize is answered in JSON, without a session', async () => {
    const clientInfo = { name: 'raw', version: '0' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const { status, type, body } = await post(rpc('initialize', params));
    expect([status, type]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'agentdm', version: '1.2.3' },
      },
    });
    const response = await fetch(running.url, { method: 'POST', headers: MCP });
    expect(response.headers.get('mcp-session-id')).toBeNull();
  });

  it('a tool call needs no initialize before it: a restarted worker goes on', async () => {
    const call = rpc('tools/call', { name: 'send_dm', arguments: { to: '@alice', message: 'x' } }, 'id-7');
    expect((await post(call)).body).toEqual({
      jsonrpc: '2.0',
      id: 'id-7',
      result: { content: [{ type: 'text', text: '{"message_id":"o1"}' }] },
    });
  });

  it('a notification is taken with 202', async () => {
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  it.each<Record<string, string>>([{}, { 'mcp-protocol-version': '2026-07-28' }])(
    'server/discover is told no at once (%j)',
    async (headers) => {
      const { status, body } = await post(rpc('server/discover', {}), headers);
      const code = (body as { error?: { code?: number } }).error?.code;
      expect(status === 400 || code === -32601).toBe(true);
      expect((await post(rpc('server/discover', {}))).body).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  it.each([
    ['no JSON', '{', 400],
    ['no JSON-RPC', '{"a":1}', 400],
    ['nothing', '', 400],
    ['an empty batch', '[]', 202],
  ])('%s: HTTP %s', async (_, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it('a tool call without a name is a protocol error', async () => {
    expect((await post(rpc('tools/call', {}))).body).toMatchObject({ error: { code: expect.any(Number) } });
    expect(running.turns.turn.calls).toEqual([]);
  });

  it('survives whatever is posted', async () => {
    const message = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), method: fc.string(), params: fc.jsonValue() })
        .map((value) => JSON.stringify(value)),
      fc.jsonValue().map((args) => JSON.stringify(rpc('tools/call', { name: 'send_dm', arguments: args }))),
    );
    await fc.assert(
      fc.asyncProperty(message, async (body) => {
        expect((await post(body)).status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
    expect(running.errors).toEqual([]);
  });
});

describe('methods', () => {
  it.each(['GET', 'DELETE', 'PUT'])('%s: 405, there is no stream and no session', async (method) => {
    const headers = { ...MCP, authorization: 'Bearer open-token' };
    const response = await fetch(running.url, { method, headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('the token', () => {
  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer foreign',
    'Basic open-token',
    'open-token',
    'Bearer open-token x',
  ])('%j: 401 before anything is read', async (authorization) => {
    const { status, body } = await post(rpc('tools/list'), { authorization });
    expect([status, body]).toEqual([401, 'This token is unknown or was revoked.\n']);
  });

  it('may be written in any case of `bearer`', async () => {
    expect((await post(rpc('tools/list'), { authorization: 'bearer open-token' })).status).toBe(200);
  });
});

describe('a failure of ours', () => {
  it('is a 500 with a sentence, and told', async () => {
    running.turns.of = () => {
      throw new Error('secret detail');
    };
    const { status, body } = await post(rpc('tools/list'));
    expect([status, body]).toEqual([500, 'The gateway failed; the worker logged why.\n']);
    expect(running.errors).toEqual([new Error('secret detail')]);
  });
});

describe('close', () => {
  it('waits for calls that run and refuses new ones', async () => {
    const turns = new ScriptedTurns();
    const gate = deferred();
    turns.turn.gate = gate.promise;
    const gateway = gatewayApp({ turns, name: 'agentdm', version: '1' });
    const request = () =>
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: { ...MCP, authorization: 'Bearer open-token' },
        body: JSON.stringify(rpc('tools/call', { name: 'list_dms' })),
      });
    const order: string[] = [];
    const call = gateway.fetch(request()).then(async (response) => {
      order.push(`call ${response.status}`);
      expect(await response.json()).toMatchObject({ result: { content: [{ type: 'text' }] } });
    });
    const closed = gateway.close().then(() => order.push('closed'));
    expect((await gateway.fetch(request())).status).toBe(503);
    gate.resolve();
    await Promise.all([call, closed]);
    expect(order).toEqual(['call 200', 'closed']);
    await gateway.close();
  });
});
