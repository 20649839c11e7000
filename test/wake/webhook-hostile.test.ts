import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebhookOptions, type WebhookReceiver, webhookReceiver } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { closeOf, MemoryDeliveries, NOW, Notices, rawHttp, SECRET, signed, statusOf } from './support.js';

const BODY = '{"type":"message.received"}';

let receiver: WebhookReceiver;
let wakes: string[];
let sockets: Socket[];

beforeEach(() => {
  wakes = [];
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await receiver.stop();
});

async function start(options: Partial<WebhookOptions> = {}): Promise<number> {
  receiver = webhookReceiver({
    port: 0,
    secrets: [SECRET],
    deliveries: new MemoryDeliveries(),
    clock: new VirtualClock(NOW),
    observer: new Notices(),
    ...options,
  });
  await receiver.start((kind) => wakes.push(kind));
  const port = receiver.address()?.port;
  if (port === undefined) throw new Error('the receiver does not listen');
  return port;
}

function head(line: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** True when the receiver still does its work. */
async function alive(port: number): Promise<boolean> {
  const before = receiver.counts().accepted;
  const headers = {
    ...signed(BODY, { id: `alive-${before}` }),
    connection: 'close',
    'content-length': BODY.length,
  };
  const answer = await rawHttp(port, head('POST /webhook', headers) + BODY);
  return statusOf(answer) === 202 && receiver.counts().accepted === before + 1;
}

describe('a slow sender', () => {
  it('of headers is cut', async () => {
    const port = await start({ headersMs: 100, requestMs: 200 });
    const answer = await rawHttp(port, 'POST /webhook HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(statusOf(answer)).toBe(408);
    expect(await alive(port)).toBe(true);
  });

  it('of nothing at all is cut', async () => {
    const port = await start({ headersMs: 100, requestMs: 200 });
    expect(['', '408']).toContain((await rawHttp(port, '')).slice(9, 12));
    expect(await alive(port)).toBe(true);
  });

  it('of a body is cut, and counted', async () => {
    const port = await start({ headersMs: 100, requestMs: 200 });
    const answer = await rawHttp(
      port,
      `${head('POST /webhook', { ...signed(BODY), 'content-length': 27 })}{"ty`,
    );
    expect(statusOf(answer)).toBe(408);
    expect(receiver.counts().aborted).toBe(1);
    expect(wakes).toEqual([]);
    expect(await alive(port)).toBe(true);
  });

  it('does not keep others waiting, nor the stop', async () => {
    const port = await start();
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write('POST /webhook HTTP/1.1\r\nHost: x\r\n');
    }
    expect(await alive(port)).toBe(true);
    const cut = Promise.all(sockets.map(closeOf));
    await receiver.stop();
    await cut;
  });

  it('that goes away in the middle is counted', async () => {
    const port = await start();
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`${head('POST /webhook', { ...signed(BODY), 'content-length': 27 })}{"ty`);
    // The other request shows that the first was read before its sender went.
    expect(await alive(port)).toBe(true);
    socket.destroy();
    while (receiver.counts().aborted === 0) await alive(port);
    expect(receiver.counts().aborted).toBe(1);
  });
});

describe('a body without a declared length', () => {
  it('is believed when it fits', async () => {
    const port = await start();
    const headers = { ...signed(BODY), 'transfer-encoding': 'chunked', connection: 'close' };
    const pieces = chunk(BODY.slice(0, 5)) + chunk(BODY.slice(5)) + chunk('');
    expect(statusOf(await rawHttp(port, head('POST /webhook', headers) + pieces))).toBe(202);
  });

  it('is cut with 413 when it passes the cap, good signature or bad', async () => {
    const port = await start({ maxBytes: 1000 });
    const long = 'x'.repeat(1001);
    for (const headers of [signed(long), signed('another')]) {
      const all =
        head('POST /webhook', { ...headers, 'transfer-encoding': 'chunked' }) + chunk(long) + chunk('');
      expect(statusOf(await rawHttp(port, all))).toBe(413);
    }
    expect(receiver.counts().refused['too-large']).toBe(2);
  });

  it('is cut with 413 while it goes on for ever', async () => {
    const port = await start();
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const closed = closeOf(socket);
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    await once(socket, 'connect');
    socket.write(head('POST /webhook', { ...signed(BODY), 'transfer-encoding': 'chunked' }));
    const piece = chunk('x'.repeat(65_536));
    const flood = (): void => {
      while (!socket.destroyed && socket.write(piece)) {}
    };
    socket.on('drain', flood);
    flood();
    await closed;
    expect(statusOf(answer)).toBe(413);
    expect(await alive(port)).toBe(true);
  });
});

describe('a declared length over the cap', () => {
  it('is refused while the body is still under way, and the answer is heard', async () => {
    const port = await start({ maxBytes: 1000 });
    const length = 900_000;
    const request = head('POST /webhook', { ...signed(BODY), 'content-length': length });
    expect(statusOf(await rawHttp(port, request + 'x'.repeat(length)))).toBe(413);
  });

  it('is heard by a sender that reads only when it has written its whole body', async () => {
    const port = await start({ maxBytes: 1000 });
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const closed = closeOf(socket);
    await once(socket, 'connect');
    socket.pause();
    socket.write(head('POST /webhook', { ...signed(BODY), 'content-length': 5000 }));
    while (receiver.counts().refused['too-large'] === 0) await alive(port);
    // Had the connection been closed at once, the first of these would be answered by a reset, the next would fail.
    for (let count = 0; count < 5; count += 1) {
      socket.write('x'.repeat(1000));
      await alive(port);
    }
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.resume();
    await closed;
    expect(statusOf(answer)).toBe(413);
  });

  it('is refused though the body never comes', async () => {
    const port = await start();
    const answer = await rawHttp(
      port,
      head('POST /webhook', { ...signed(BODY), 'content-length': 10_000_000 }),
    );
    expect(statusOf(answer)).toBe(413);
  });
});

describe('a sender that asks first (Expect: 100-continue)', () => {
  async function ask(port: number, headers: Record<string, string | number>): Promise<[boolean, number]> {
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      path: '/webhook',
      method: 'POST',
      headers: { ...headers, expect: '100-continue', 'content-length': BODY.length },
    });
    let told = false;
    request.on('continue', () => {
      told = true;
      request.end(BODY);
    });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    response.resume();
    request.destroy();
    return [told, response.statusCode];
  }

  it('is told to go on when its headers are good, else refused without a body', async () => {
    const port = await start();
    expect(await ask(port, signed(BODY))).toEqual([true, 202]);
    expect(await ask(port, signed('another'))).toEqual([true, 401]);
    expect(await ask(port, {})).toEqual([false, 401]);
  });
});

describe('what is not a proper request', () => {
  it.each([
    ['noise', '\x16\x03\x01\x02\x00\x01\r\n\r\n'],
    ['no host', 'POST /webhook HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'],
    ['two lengths', head('POST /webhook', { 'content-length': '5, 6' })],
    ['a negative length', head('POST /webhook', { 'content-length': '-1' })],
    ['length and chunks', head('POST /webhook', { 'content-length': 5, 'transfer-encoding': 'chunked' })],
    ['a broken chunk', `${head('POST /webhook', { ...signed(BODY), 'transfer-encoding': 'chunked' })}zz\r\n`],
    ['headers over the cap', head('POST /webhook', { 'x-long': 'x'.repeat(20_000) })],
    ['an unknown expectation', head('POST /webhook', { expect: 'miracles', connection: 'close' })],
    ['an unknown method', 'FETCH /webhook HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an upgrade', head('GET /webhook', { connection: 'upgrade', upgrade: 'websocket' })],
  ])('%s: is answered 4xx', async (_, text) => {
    const port = await start({ headersMs: 100, requestMs: 200 });
    const status = statusOf(await rawHttp(port, text));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(wakes).toEqual([]);
    expect(await alive(port)).toBe(true);
  });
});

describe('whatever the headers', () => {
  const names = [
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'svix-signature',
    'x-hub-signature-256',
    'authorization',
    'expect',
    'content-length',
    'transfer-encoding',
    'x-github-delivery',
  ];
  const visible = fc.stringMatching(/^[\t -~\x80-\xff]{0,60}$/);
  const value = fc.oneof(
    visible,
    fc.constantFrom('100-continue', 'chunked', '0', '7', 'v1,', 'Bearer x', '1796040000'),
  );

  it('the answer is never 5xx, and nobody is woken', async () => {
    const port = await start({ headersMs: 50, requestMs: 100 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 }),
        fc.constantFrom('POST /webhook', 'POST /webhook/x', 'GET /healthz', 'PATCH /'),
        fc.string({ maxLength: 30 }),
        async (headers, line, body) => {
          const lines = headers.map(([name, text]) => `${name}: ${text}\r\n`).join('');
          const text = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n${body}`;
          const answer = await rawHttp(port, Buffer.from(text, 'latin1'));
          // Node cuts those off unheard who go on talking after they said that they would close.
          expect(answer).toMatch(/^$|^HTTP\/1\.1 (100|200|4\d\d) /);
        },
      ),
      { numRuns: 150 },
    );
    expect(wakes).toEqual([]);
    expect(await alive(port)).toBe(true);
  });
});
