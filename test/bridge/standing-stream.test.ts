import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { standingStreamFetch } from '../../src/bridge/standing-stream.js';
import { startRig } from './rig.js';

const URL_ = 'http://127.0.0.1:9/mcp';

function fetching(answer: () => Response, wanted = true) {
  const asked: string[] = [];
  const pauses: number[] = [];
  const fetch = standingStreamFetch({
    wanted: () => wanted,
    firstMs: 1,
    mostMs: 4,
    fetch: async (_, init) => {
      asked.push(init?.method ?? 'GET');
      return answer();
    },
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  return { fetch, asked, pauses };
}

describe('the standing stream', () => {
  it('is not opened where nothing is announced on it', async () => {
    const { fetch, asked } = fetching(() => new Response(''), false);
    expect((await fetch(URL_, { method: 'GET' })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('that is closed politely, again and again, is opened at growing distances', async () => {
    const { fetch, pauses } = fetching(() => new Response(''));
    for (let time = 0; time < 6; time += 1) expect((await fetch(URL_, { method: 'GET' })).status).toBe(200);
    expect(pauses).toEqual([1, 2, 4, 4, 4]);
  });

  it.each([404, 400, 401])('that is refused with %i is let be', async (status) => {
    const { fetch } = fetching(() => new Response('', { status }));
    expect((await fetch(URL_, { method: 'GET' })).status).toBe(405);
  });

  it('leaves calls, and answers that are taken up again, alone', async () => {
    const { fetch, asked, pauses } = fetching(() => new Response(''), false);
    await fetch(URL_, { method: 'POST' });
    await fetch(URL_, { method: 'GET', headers: { 'Last-Event-ID': '7' } });
    expect([asked, pauses]).toEqual([['POST', 'GET'], []]);
  });
});

it('what an inbox announces on it reaches the client', async () => {
  const server = new Server(
    { name: 'announcer', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  let names = ['one'];
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  let opened = (): void => {};
  const standing = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const http = createServer((request, response) => {
    const writeHead = response.writeHead.bind(response);
    // The head is written when the stream is in place: what is sent from then on arrives.
    response.writeHead = ((...args: Parameters<typeof writeHead>) => {
      if (request.method === 'GET') opened();
      return writeHead(...args);
    }) as typeof response.writeHead;
    void transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await server.close();
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  });

  const rig = await startRig(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  expect((await rig.ask('tools/list')).result).toMatchObject({ tools: [{ name: 'one' }] });
  await standing;
  names = ['one', 'two'];
  await server.sendToolListChanged();
  await rig.answers.first(({ method }) => method === 'notifications/tools/list_changed', 'the announcement');
  expect((await rig.ask('tools/list')).result).toMatchObject({ tools: [{ name: 'one' }, { name: 'two' }] });
  await rig.end();
});
