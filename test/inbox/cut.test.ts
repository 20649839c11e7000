// An answer that ends before it is complete: noticed at once in either era, not at the time limit of the call.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startModernInbox } from '../support/modern-inbox.js';
import { type FakeServer, type FakeTool, rpcBody, startFakeServer, textResult } from './fake-server.js';
import { agentdmTools, collector, dmsTools, inboxOf, never, outgoing } from './helpers.js';

const SSE = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Far longer than a test may take: what is noticed only then is not noticed. */
const PATIENT = { callTimeoutMs: 600_000 };

type Cut = (response: ServerResponse) => void;

const CUTS: readonly (readonly [string, Cut])[] = [
  ['a stream that ends', (response) => response.writeHead(200, SSE).end()],
  [
    'a stream that ends after a log line',
    (response) => {
      const line = JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: 'x' },
      });
      response.writeHead(200, SSE).end(`data: ${line}\n\n`);
    },
  ],
  [
    'a stream that ends in the middle of an event',
    (response) => {
      response.writeHead(200, SSE).end('event: message\ndata: {"jsonrpc":');
    },
  ],
  [
    'a stream that breaks',
    (response) => {
      response.writeHead(200, SSE).write('event: message\ndata: {"jsonrpc":', () => response.destroy());
    },
  ],
  [
    'a JSON body that breaks',
    (response) => {
      response
        .writeHead(200, { ...JSON_TYPE, 'content-length': '100' })
        .write('{"jsonrpc":', () => response.destroy());
    },
  ],
  ['nothing but "accepted"', (response) => response.writeHead(202).end()],
];

type Cutter = Pick<FakeServer, 'url' | 'log' | 'intercept'>;

const vocabulary = (name: 'dms' | 'agentdm'): FakeTool[] =>
  name === 'agentdm'
    ? agentdmTools([])
    : dmsTools({ list: () => ({ dms: [] }), read: () => ({ messages: [] }), ack: () => ({}) });

const ERAS: readonly (readonly [string, (name: 'dms' | 'agentdm') => Promise<Cutter>])[] = [
  ['an old server', (name) => startFakeServer({ tools: vocabulary(name) })],
  [
    'a modern server',
    async (name) => {
      const server = await startModernInbox({ vocabularies: [name] });
      onTestFinished(() => server.close());
      return server;
    },
  ],
];

/** Cuts the next `times` answers to calls of `tool`. */
function cutNext(server: Cutter, tool: string, cut: Cut, times: number): void {
  let left = times;
  server.intercept = (rpc, response) => {
    if (rpc.params?.name !== tool || left === 0) return false;
    left -= 1;
    cut(response);
    return true;
  };
}

const calls = (server: Cutter, tool: string): number =>
  server.log.filter((line) => line === `call ${tool}`).length;

describe.each(ERAS)('%s', (_era, start) => {
  it.each(CUTS)('that answers with %s: what is harmless is asked once more, at once', async (_how, cut) => {
    const server = await start('dms');
    const upstream = inboxOf(server, PATIENT);
    cutNext(server, 'list_dms', cut, 1);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(calls(server, 'list_dms')).toBe(2);
    cutNext(server, 'list_dms', cut, 99);
    expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
    expect(calls(server, 'list_dms')).toBe(4);
    // With a key of its own a second send is harmless, too.
    cutNext(server, 'send_dm', cut, 1);
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'sent' });
    cutNext(server, 'send_dm', cut, 99);
    expect(await upstream.send(outgoing({ idempotencyKey: 'b' }), never)).toMatchObject({ kind: 'unsure' });
    expect(calls(server, 'send_dm')).toBe(4);
  });

  it.each(CUTS)(
    'that answers with %s: a send without a key is unsure, a read that consumes down, asked once',
    async (_how, cut) => {
      const server = await start('agentdm');
      const upstream = inboxOf(server, PATIENT);
      await upstream.check(never);
      cutNext(server, 'send_message', cut, 1);
      expect(await upstream.send(outgoing(), never)).toMatchObject({
        kind: 'unsure',
        message: expect.stringMatching(/cut its answer|gave no answer/),
      });
      expect(calls(server, 'send_message')).toBe(1);
      cutNext(server, 'read_messages', cut, 1);
      expect(await upstream.look(collector().spool, never)).toMatchObject({ kind: 'down' });
      expect(calls(server, 'read_messages')).toBe(1);
      expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    },
  );

  it('that sends the answer and then breaks the stream has answered', async () => {
    const server = await start('agentdm');
    const upstream = inboxOf(server, PATIENT);
    await upstream.check(never);
    server.intercept = (rpc, response) => {
      if (rpc.params?.name !== 'send_message') return false;
      const result = { resultType: 'complete', ...textResult({ message_id: 's9' }) };
      response.writeHead(200, SSE).write(`data: ${rpcBody(rpc.id, result)}\n\n`, () => response.destroy());
      return true;
    };
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's9' });
  });
});

describe('a stream that can be taken up again (Last-Event-ID, in the older era)', () => {
  /** Answers calls with a numbered event and then nothing; the rest, if any, comes to a GET. */
  async function server(resume: (id: unknown, response: ServerResponse) => void) {
    const asked: string[] = [];
    let call: unknown;
    const tools = agentdmTools([]).map(({ name, inputSchema }) => ({ name, inputSchema }));
    const http = createServer(async (request, response) => {
      if (request.method === 'GET') {
        asked.push(`GET ${String(request.headers['last-event-id'])}`);
        return resume(call, response);
      }
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.method !== 'POST') return void response.writeHead(200).end();
      const { id, method, params } = JSON.parse(body);
      asked.push(method);
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'tools/call' && params.name === 'send_message') {
        call = id;
        return void response.writeHead(200, SSE).end('id: e1\nretry: 10\ndata:\n\n');
      }
      const capabilities = { tools: {} };
      const serverInfo = { name: 'by hand', version: '1' };
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
        'tools/list': { tools },
        'tools/call': textResult('No new messages.'),
      };
      if (!(method in results)) return void response.writeHead(404).end();
      response.writeHead(200, JSON_TYPE).end(rpcBody(id, results[method]));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(
      () =>
        new Promise<void>((resolve) => {
          http.close(() => resolve());
          http.closeAllConnections();
        }),
    );
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, asked };
  }

  it('is waited for', async () => {
    const it = await server((id, response) => {
      response.writeHead(200, SSE).end(`id: e2\ndata: ${rpcBody(id, textResult({ message_id: 's3' }))}\n\n`);
    });
    expect(await inboxOf(it, PATIENT).send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's3' });
    expect(it.asked).toContain('GET e1');
  });

  it('and is not there: the call ends with the last attempt', async () => {
    const it = await server((_id, response) => void response.writeHead(405).end());
    expect(await inboxOf(it, PATIENT).send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
    expect(it.asked.filter((line) => line === 'tools/call')).toHaveLength(1);
  });
});
