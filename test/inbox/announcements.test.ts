// What a server says unasked: its standing stream, which may be closed politely again and again, and its resources.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../src/lib/deferred.js';
import { rpcBody, startFakeServer } from './fake-server.js';
import { callsIn, dmsTools, inboxOf, never, roundTrips } from './helpers.js';
import { steppedClock } from './stepped-clock.js';

const emptyDms = () =>
  dmsTools({ list: () => ({ dms: [] }), read: () => ({ messages: [] }), ack: () => ({}) });

type Stream = (response: ServerResponse, nth: number) => void;

/** A server of the dms vocabulary, written by hand, that answers GET as told, and counts. */
async function serverWith(onGet: Stream, capabilities: object = {}) {
  const asked: string[] = [];
  let gets = 0;
  const http = createServer(async (request, response) => {
    if (request.method === 'GET') {
      gets += 1;
      onGet(response, gets);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(200).end();
    const { id, method, params } = JSON.parse(body);
    asked.push(method === 'resources/subscribe' ? `subscribe ${params.uri}` : method);
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {}, ...capabilities },
        serverInfo: { name: 'hand-written', version: '1' },
      },
      'tools/list': { tools: emptyDms().map(({ name, inputSchema }) => ({ name, inputSchema })) },
      'tools/call': { content: [{ type: 'text', text: '{"dms": []}' }] },
      'resources/list': { resources: [{ uri: 'inbox://agent', name: 'inbox' }, { odd: true }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(rpcBody(id, results[method] ?? {}));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { url, asked, gets: () => gets };
}

const openStream = (response: ServerResponse): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return response;
};
const says = (response: ServerResponse, method: string): void => {
  response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method, params: {} })}\n\n`);
};

describe('the standing stream', () => {
  it('that a server closes politely is opened again ever more slowly, never in a loop', async () => {
    const time = steppedClock();
    const server = await serverWith((response) => openStream(response).end());
    const announced = vi.fn();
    const upstream = inboxOf(server, { clock: time.clock, onAnnounced: announced });
    await upstream.check(never);
    for (let opened = 1; opened <= 12; opened += 1) {
      await time.asleep();
      // While we wait, nobody asks: the SDK would have, a second after each end.
      expect(server.gets()).toBe(opened);
      time.step();
    }
    expect(time.sleeps.slice(0, 12)).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1000),
    );
    // Each opening but the first may have missed something.
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(server.gets() - 1));
    await upstream.close();
  });

  it('stays one request, whatever the timers of the SDK say after the server has closed it', async () => {
    // The SDK opens such a stream again by a timer of its own, after a second. Nothing else here sleeps by one.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = deferred<void>();
    const server = await serverWith((response) => openStream(response).end(() => closed.resolve()));
    const sleepUntil = (_at: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const upstream = inboxOf(server, { clock: { now: () => 0, sleepUntil }, onAnnounced: () => {} });
    await upstream.check(never);
    await closed.promise;
    // The end of the stream has been heard here, too, before time passes; and what that brings there, before we look.
    await roundTrips(server.url);
    await vi.advanceTimersByTimeAsync(2_000);
    await roundTrips(server.url);
    expect(server.gets()).toBe(1);
  });

  it('tells of notifications, and of nothing that is none or only a log line', async () => {
    let stream: ServerResponse | undefined;
    const server = await serverWith((response) => {
      stream = openStream(response);
    });
    const announced = vi.fn();
    const upstream = inboxOf(server, { onAnnounced: announced });
    await upstream.check(never);
    await vi.waitFor(() => expect(stream).toBeDefined());
    if (!stream) throw new Error('no stream');
    stream.write(': a comment\n\nnot even an event\n\ndata: not json\n\n');
    for (const quiet of ['message', 'progress', 'cancelled']) says(stream, `notifications/${quiet}`);
    says(stream, 'notifications/resources/updated');
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1));
    says(stream, 'notifications/resources/list_changed');
    says(stream, 'notifications/claude/channel');
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(3));
    // The stream is beside the calls: they go on as ever.
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(server.gets()).toBe(1);
  });

  it('is heard again after a cut in the middle of an event', async () => {
    const time = steppedClock();
    const server = await serverWith((response, nth) => {
      openStream(response);
      if (nth > 1) return says(response, 'notifications/resources/updated');
      response.write('event: message\ndata: {"jsonrpc": "2.0", "meth');
      setImmediate(() => response.destroy());
    });
    const announced = vi.fn();
    await inboxOf(server, { clock: time.clock, onAnnounced: announced }).check(never);
    await time.asleep();
    expect(announced).not.toHaveBeenCalled();
    time.step();
    // Once for the gap, once for what was said.
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(2));
  });

  it('begins its waits anew once it has held', async () => {
    const time = steppedClock();
    const held = deferred<ServerResponse>();
    const server = await serverWith((response, nth) => {
      openStream(response);
      if (nth !== 4) return void setImmediate(() => response.end());
      says(response, 'notifications/resources/updated');
      held.resolve(response);
    });
    const announced = vi.fn();
    const upstream = inboxOf(server, { clock: time.clock, onAnnounced: announced });
    await upstream.check(never);
    for (let opened = 1; opened <= 3; opened += 1) {
      await time.asleep();
      time.step();
    }
    const stream = await held.promise;
    // Three gaps, and what was said: by then the client has the stream.
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(4));
    time.pass(60_000);
    stream.end();
    await time.asleep();
    expect(time.sleeps).toEqual([1_000, 2_000, 4_000, 1_000]);
    await upstream.close();
  });

  it('is asked for once where there is none, and that is said', async () => {
    const server = await serverWith((response) => void response.writeHead(405).end());
    const notices: string[] = [];
    const onNotice = (text: string): void => void notices.push(text);
    const upstream = inboxOf(server, { onAnnounced: () => {}, onNotice });
    await upstream.check(never);
    await vi.waitFor(() => expect(notices).toHaveLength(1));
    expect(notices[0]).toMatch(/no stream of notifications \(HTTP 405\)/);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(server.gets()).toBe(1);
  });

  it('is given up with a last word when the session is gone: the next look begins a new one', async () => {
    const time = steppedClock();
    const server = await serverWith((response, nth) => {
      if (nth === 1) openStream(response).end();
      else response.writeHead(404).end();
    });
    const announced = vi.fn();
    await inboxOf(server, { clock: time.clock, onAnnounced: announced }).check(never);
    await time.asleep();
    time.step();
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1));
    expect(server.gets()).toBe(2);
    expect(time.sleeps).toHaveLength(1);
  });

  it('is tried again when the server was away at first', async () => {
    const time = steppedClock();
    const server = await serverWith((response, nth) => {
      if (nth < 3) response.writeHead(503).end();
      else says(openStream(response), 'notifications/resources/updated');
    });
    const announced = vi.fn();
    await inboxOf(server, { clock: time.clock, onAnnounced: announced }).check(never);
    for (let tries = 1; tries < 3; tries += 1) {
      await time.asleep();
      time.step();
    }
    await vi.waitFor(() => expect(announced).toHaveBeenCalled());
    expect(server.gets()).toBe(3);
  });

  it('is opened by nobody who does not listen', async () => {
    const server = await serverWith((response) => openStream(response));
    await inboxOf(server).check(never);
    expect([server.gets(), server.asked.includes('resources/list')]).toEqual([0, false]);
  });

  it('ends with the connection', async () => {
    const ended = deferred<void>();
    const opened = deferred<void>();
    const server = await serverWith((response) => {
      openStream(response).on('close', () => ended.resolve());
      opened.resolve();
    });
    const upstream = inboxOf(server, { onAnnounced: () => {} });
    await upstream.check(never);
    await opened.promise;
    await upstream.close();
    await ended.promise;
    expect(server.gets()).toBe(1);
  });
});

/** An inbox on stdin and stdout that announces something with each answer to a call. */
const PROGRAM = `
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
const tools = ['list_dms', 'read_dm', 'send_dm'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'program', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: '{"dms": []}' }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  say({ id, result: (answers[method] ?? (() => ({})))(params ?? {}) });
  if (method === 'tools/call') say({ method: 'notifications/resources/list_changed', params: {} });
});`;

it('a program announces on the pipe it has', async () => {
  const announced = vi.fn();
  const upstream = inboxOf(
    { url: '' },
    {
      server: { type: 'stdio', command: process.execPath, args: ['-e', PROGRAM] },
      onAnnounced: announced,
    },
  );
  expect(await upstream.check(never)).toEqual({ kind: 'looked' });
  await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1));
});

describe('changes of resources', () => {
  it('are subscribed to where the server offers that', async () => {
    const server = await serverWith((response) => openStream(response), { resources: { subscribe: true } });
    await inboxOf(server, { onAnnounced: () => {} }).check(never);
    await vi.waitFor(() => expect(server.asked).toContain('subscribe inbox://agent'));
    expect(server.asked.filter((line) => line.startsWith('subscribe'))).toHaveLength(1);
  });

  it('are not asked for where it does not, and what fails there does no harm', async () => {
    const plain = await serverWith((response) => openStream(response), { resources: {} });
    await inboxOf(plain, { onAnnounced: () => {} }).check(never);
    expect(plain.asked).not.toContain('resources/list');
    const server = await startFakeServer({ tools: emptyDms() });
    server.intercept = ({ id, method }, response) => {
      if (!method.startsWith('resources/')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'broken' } }));
      return true;
    };
    const upstream = inboxOf(server, { onAnnounced: () => {} });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(callsIn(server)).toHaveLength(2);
  });
});
