import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { deferred } from '../../src/lib/deferred.js';
import { type WebhookOptions, type WebhookReceiver, webhookReceiver } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { hubSignature, MemoryDeliveries, NOW, Notices, SECRET, signed } from './support.js';

const BODY = '{"type":"message.received"}';

let clock: VirtualClock;
let notices: Notices;
let deliveries: MemoryDeliveries;
let wakes: string[];
let started: WebhookReceiver[];

beforeEach(() => {
  clock = new VirtualClock(NOW);
  notices = new Notices();
  deliveries = new MemoryDeliveries();
  wakes = [];
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((receiver) => receiver.stop()));
});

function make(options: Partial<WebhookOptions> = {}): WebhookReceiver {
  return webhookReceiver({ port: 0, secrets: [SECRET], deliveries, clock, observer: notices, ...options });
}

async function start(options: Partial<WebhookOptions> = {}): Promise<WebhookReceiver> {
  const receiver = make(options);
  started.push(receiver);
  await receiver.start((kind) => wakes.push(kind));
  return receiver;
}

function urlOf(receiver: WebhookReceiver, path = '/webhook'): string {
  return `http://127.0.0.1:${receiver.address()?.port}${path}`;
}

async function post(
  receiver: WebhookReceiver,
  headers: Record<string, string>,
  options: { body?: string | Uint8Array<ArrayBuffer>; path?: string } = {},
): Promise<number> {
  const { body = BODY, path } = options;
  const response = await fetch(urlOf(receiver, path), { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

describe('a believed post', () => {
  it('is answered 202 and wakes', async () => {
    const receiver = await start({ agentName: 'scout' });
    expect(receiver.address()).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
    expect(await post(receiver, signed(BODY))).toBe(202);
    expect(await post(receiver, signed(BODY, { id: 'msg_2' }), { path: '/webhook/scout' })).toBe(202);
    await receiver.stop();
    expect(wakes).toEqual(['webhook', 'webhook']);
    expect([...deliveries.seen.keys()]).toEqual(['msg_1', 'msg_2']);
    expect(receiver.counts()).toMatchObject({ accepted: 2, duplicates: 0, aborted: 0 });
    expect(notices.troubles).toEqual([]);
    expect(notices.texts[0]).toMatch(/^info: Webhooks are taken at http:\/\/127\.0\.0\.1:\d+\/webhook$/);
    expect(receiver.connected()).toBe(false);
  });

  it('may be signed by the library, by Svix names, as GitHub does, or carry the secret as a bearer token', async () => {
    const receiver = await start();
    const theirs = new Webhook(SECRET).sign('msg_1', new Date(NOW), BODY);
    expect(await post(receiver, { ...signed(BODY), 'webhook-signature': theirs })).toBe(202);
    expect(await post(receiver, signed(BODY, { prefix: 'svix', id: 'svix_1' }))).toBe(202);
    expect(await post(receiver, { 'x-hub-signature-256': hubSignature(BODY, SECRET) })).toBe(202);
    expect(await post(receiver, { authorization: `Bearer ${SECRET}` })).toBe(202);
    await receiver.stop();
    expect(wakes).toHaveLength(4);
  });

  it('is answered before its delivery is recorded', async () => {
    const gate = deferred();
    deliveries.gate = gate.promise;
    const receiver = await start();
    expect(await post(receiver, signed(BODY))).toBe(202);
    expect(wakes).toEqual([]);
    gate.resolve();
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
  });

  it('wakes once however often it is delivered', async () => {
    const receiver = await start();
    const statuses = [
      await post(receiver, signed(BODY)),
      await post(receiver, signed(BODY)),
      // A retry is signed anew and keeps its id.
      await post(receiver, signed(BODY, { at: NOW + 60_000 })),
    ];
    expect(statuses).toEqual([202, 202, 202]);
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
    expect(receiver.counts()).toMatchObject({ accepted: 3, duplicates: 2 });
  });

  it('is known by the sender’s delivery header where no signature covers one', async () => {
    const receiver = await start();
    const headers = { 'x-hub-signature-256': hubSignature(BODY, SECRET), 'x-github-delivery': 'g-1' };
    await post(receiver, headers);
    await post(receiver, headers);
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
  });

  it('wakes each time where it has no id', async () => {
    const receiver = await start();
    const headers = { authorization: `Bearer ${SECRET}` };
    await post(receiver, headers);
    await post(receiver, headers);
    await receiver.stop();
    expect(wakes).toEqual(['webhook', 'webhook']);
  });

  it('wakes even when deliveries cannot be recorded, and says so once', async () => {
    deliveries.failure = new Error('disk is full');
    const receiver = await start();
    for (const id of ['a', 'b', 'a']) expect(await post(receiver, signed(BODY, { id }))).toBe(202);
    await receiver.stop();
    expect(wakes).toHaveLength(3);
    expect(notices.troubles).toEqual([
      'warn: Webhook deliveries cannot be recorded, so repetitions wake too: disk is full',
    ]);
  });

  it('may be one of many at a time', async () => {
    const receiver = await start();
    const posts = Array.from({ length: 100 }, (_, index) =>
      post(receiver, signed(BODY, { id: `msg_${index % 50}` })),
    );
    expect(new Set(await Promise.all(posts))).toEqual(new Set([202]));
    await receiver.stop();
    expect(wakes).toHaveLength(50);
    expect(receiver.counts()).toMatchObject({ accepted: 100, duplicates: 50 });
  });

  it('may be as long as the cap', async () => {
    const receiver = await start({ maxBytes: 5000 });
    const body = 'x'.repeat(5000);
    expect(await post(receiver, signed(body), { body })).toBe(202);
    expect(await post(receiver, signed(`${body}x`), { body: `${body}x` })).toBe(413);
  });
});

describe('a refused post', () => {
  it('is answered with its status, counted, and wakes nobody', async () => {
    const receiver = await start({ maxBytes: 5000 });
    const long = 'x'.repeat(5001);
    expect(await post(receiver, {})).toBe(401);
    expect(await post(receiver, { 'webhook-signature': 'v1' })).toBe(400);
    expect(await post(receiver, signed(BODY, { at: NOW - 1e6 }))).toBe(401);
    expect(await post(receiver, signed('another'))).toBe(401);
    expect(await post(receiver, signed('another'), { body: long })).toBe(413);
    expect(await post(receiver, {}, { body: long })).toBe(413);
    expect(await post(receiver, {}, { body: long, path: '/elsewhere' })).toBe(404);
    expect((await fetch(urlOf(receiver), { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(urlOf(receiver, '/elsewhere'), { method: 'PUT', body: long })).status).toBe(405);
    expect(receiver.counts()).toEqual({
      accepted: 0,
      duplicates: 0,
      aborted: 0,
      refused: { method: 2, path: 1, 'too-large': 2, malformed: 1, unsigned: 1, stale: 1, signature: 1 },
    });
    await receiver.stop();
    expect(wakes).toEqual([]);
    expect(deliveries.seen.size).toBe(0);
  });

  it('says which methods there are', async () => {
    const receiver = await start();
    expect((await fetch(urlOf(receiver))).headers.get('allow')).toBe('POST');
    const healthz = urlOf(receiver, '/healthz');
    expect((await fetch(healthz, { method: 'POST' })).headers.get('allow')).toBe('GET');
  });

  it('is told of once until one is accepted, and only where its proof was at fault', async () => {
    const receiver = await start();
    const complaint =
      'warn: A webhook post was refused: The signature or token does not match. Further ones are only counted.';
    await post(receiver, signed(BODY), { path: '/elsewhere' });
    expect(notices.troubles).toEqual([]);
    await post(receiver, signed('another'));
    await post(receiver, {});
    expect(notices.troubles).toEqual([complaint]);
    await post(receiver, signed(BODY));
    await post(receiver, signed('another'));
    expect(notices.troubles).toEqual([complaint, complaint]);
  });

  it('does not spoil the id of the true delivery', async () => {
    const receiver = await start();
    await post(receiver, signed('forged'));
    await post(receiver, signed(BODY));
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
  });
});

describe('GET /healthz', () => {
  it('says what it is told in one word, also to HEAD, and wakes nobody', async () => {
    let health = { ok: true, status: 'ok', why: 'a detail' };
    const receiver = await start({ health: () => health });
    const healthz = urlOf(receiver, '/healthz');
    const fine = await fetch(healthz);
    expect([fine.status, await fine.text()]).toEqual([200, '{"status":"ok"}\n']);
    expect(fine.headers.get('content-type')).toBe('application/json');
    expect(fine.headers.get('cache-control')).toBe('no-store');
    health = { ok: false, status: 'deaf', why: 'a detail' };
    const deaf = await fetch(`${healthz}?verbose`);
    expect([deaf.status, await deaf.json()]).toEqual([503, { status: 'deaf' }]);
    const head = await fetch(healthz, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([503, '']);
    for (const path of ['/livez', '/readyz', '/healthz/x', '/healthz/'])
      expect((await fetch(urlOf(receiver, path))).status).toBe(404);
    expect(wakes).toEqual([]);
  });

  it('is ok where nobody was named to ask', async () => {
    const receiver = await start();
    expect(await (await fetch(urlOf(receiver, '/healthz'))).json()).toEqual({ status: 'ok' });
  });
});

describe('new secrets', () => {
  const OTHER = Buffer.from('fedcba9876543210fedcba9876543210');

  it('hold from then on, and the old ones no more', async () => {
    const receiver = await start();
    expect(await post(receiver, signed(BODY))).toBe(202);
    receiver.renew([`whsec_${OTHER.toString('base64')}`]);
    expect(await post(receiver, signed(BODY, { id: 'msg_2' }))).toBe(401);
    expect(await post(receiver, signed(BODY, { id: 'msg_3', key: OTHER }))).toBe(202);
  });

  it('that would open the receiver to everybody, or are damaged, change nothing', async () => {
    const open = make({ host: '0.0.0.0' });
    expect(() => open.renew([])).toThrow('without a secret');
    const receiver = await start();
    expect(() => receiver.renew(['whsec_!'])).toThrow();
    expect(await post(receiver, signed(BODY))).toBe(202);
  });
});

describe('without a secret', () => {
  it('takes unsigned posts on loopback', async () => {
    const receiver = await start({ secrets: [], host: 'localhost' });
    expect(await post(receiver, {})).toBe(202);
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
  });

  it.each(['0.0.0.0', '::', '', '192.0.2.7', 'example.com'])('does not listen on %j', (host) => {
    try {
      make({ secrets: [], host });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(WorkerError);
      expect(error).toMatchObject({ code: 'webhook-insecure', exitCode: 2 });
    }
  });

  it('listens anywhere with one', () => {
    expect(() => make({ host: '0.0.0.0' })).not.toThrow();
    expect(() => make({ host: '0.0.0.0', secrets: [''] })).toThrow(WorkerError);
  });
});

describe('a taken port', () => {
  it('is no error, is told of, and is taken over when it is free', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const receiver = await start({ port });
    expect(receiver.address()).toBeUndefined();
    expect(notices.troubles).toEqual([
      `error: The webhook receiver cannot listen: 127.0.0.1:${port} is taken by another program. The inbox is still polled.`,
    ]);
    await clock.advance(30_000);
    expect(notices.troubles).toHaveLength(1);

    await new Promise<void>((resolve) => other.close(() => resolve()));
    const listens = deferred<string>();
    notices.on = (event) => {
      if (event.type === 'notice') listens.resolve(event.text);
    };
    await clock.advance(30_000);
    expect(await listens.promise).toBe(`The webhook receiver now listens on 127.0.0.1:${port}.`);
    expect(await post(receiver, signed(BODY))).toBe(202);
  });

  it('is not held by one that was stopped while it was opened', async () => {
    const one = make();
    const opening = one.start(() => {});
    await one.stop();
    await opening;
    expect(one.address()).toBeUndefined();
  });

  it('does not keep it from stopping', async () => {
    const other = await start();
    const receiver = await start({ port: other.address()?.port });
    await receiver.stop();
    expect(notices.troubles).toHaveLength(1);
  });

  it('is told apart from an address that is not ours', async () => {
    const receiver = await start({ host: '192.0.2.7' });
    expect(receiver.address()).toBeUndefined();
    expect(notices.troubles[0]).toContain('192.0.2.7:0 is not an address of this machine');
  });
});

describe('stop', () => {
  it('frees the port, may be repeated, and a new start works', async () => {
    const receiver = await start();
    const port = receiver.address()?.port;
    await receiver.stop();
    await receiver.stop();
    expect(receiver.address()).toBeUndefined();
    const next = await start({ port });
    expect(next.address()?.port).toBe(port);
    await next.stop();
    await next.start((kind) => wakes.push(kind));
    expect(await post(next, signed(BODY))).toBe(202);
    await next.stop();
    expect(wakes).toEqual(['webhook']);
  });

  it('is no error before the start', async () => {
    await make().stop();
  });
});
