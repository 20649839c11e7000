// A test delivery: judged like any other, and nothing comes of it; who fails it is told apart.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookReceiver } from '../../src/wake/door.js';
import { WebhookHub, webhookReceiver } from '../../src/wake/index.js';
import { type TrialWish, tryReceiver } from '../../src/wake/trial.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { MemoryDeliveries, NOW, Notices, SECRET, signed } from './support.js';

let deliveries: MemoryDeliveries;
let notices: Notices;
let wakes: string[];
const ends: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  deliveries = new MemoryDeliveries();
  notices = new Notices();
  wakes = [];
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function receiverWith(secrets: readonly string[]): Promise<WebhookReceiver> {
  const clock = new VirtualClock(NOW);
  const receiver = webhookReceiver({ port: 0, secrets, deliveries, clock, observer: notices });
  ends.push(() => receiver.stop());
  await receiver.start((kind) => wakes.push(kind));
  return receiver;
}

/** A server that is not ours. */
async function strangerWith(answer: RequestListener): Promise<TrialWish['address']> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, path: '/webhook' };
}

const wish = (
  address: Omit<TrialWish['address'], 'path'> | undefined,
  secrets: readonly string[],
): TrialWish => ({
  address: { host: '127.0.0.1', port: 1, path: '/webhook', ...address },
  secrets,
  id: 'test-1',
  now: NOW,
  limitMs: 5_000,
});

describe('a test delivery', () => {
  it.each([
    ['a whsec_ secret', [SECRET]],
    ['a plain secret', ['correct horse battery staple']],
    ['two, while one is replaced', [SECRET, 'bmV3IG9uZQ==']],
    ['none', []],
  ])('is believed with %s, and leaves no trace when it was announced', async (_, secrets) => {
    const receiver = await receiverWith(secrets);
    const untouched = { counts: receiver.counts(), announces: receiver.announces() };
    receiver.expectTest('test-1');
    expect(await tryReceiver(wish(receiver.address(), secrets))).toEqual({ kind: 'good' });
    await receiver.stop();
    expect(wakes).toEqual([]);
    expect([...deliveries.seen.keys()]).toEqual([]);
    expect(notices.troubles).toEqual([]);
    expect({ counts: receiver.counts(), announces: receiver.announces() }).toEqual(untouched);
  });

  it('wakes like any other when it was not', async () => {
    const receiver = await receiverWith([SECRET]);
    receiver.expectTest('another');
    expect(await tryReceiver(wish(receiver.address(), [SECRET]))).toEqual({ kind: 'good' });
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
    expect(receiver.counts()).toMatchObject({ accepted: 1, refused: { signature: 1 } });
    expect(notices.troubles).toHaveLength(1);
  });

  it('reaches one of several behind a listener by its name, and wakes none of them', async () => {
    const clock = new VirtualClock(NOW);
    const hub = new WebhookHub({ port: 0, clock, observer: notices });
    ends.push(() => hub.close());
    const sources = ['scout', 'other one'].map((name) =>
      hub.door(name, [SECRET]).attach({ deliveries, clock, observer: notices }),
    );
    for (const source of sources) await source.start((kind) => wakes.push(kind));
    await hub.open();
    const [, other] = sources;
    other?.expectTest('test-1');
    const address = { ...hub.address(), path: other?.path } as TrialWish['address'];
    expect(address.path).toBe('/webhook/other%20one');
    expect(await tryReceiver({ ...wish(undefined, [SECRET]), address })).toEqual({ kind: 'good' });
    for (const source of sources) await source.stop();
    expect(wakes).toEqual([]);
    expect(sources.map((source) => source.counts().accepted)).toEqual([0, 0]);
    expect(notices.troubles).toEqual([]);
  });

  it('does not blind the receiver for what comes after it', async () => {
    const receiver = await receiverWith([SECRET]);
    receiver.expectTest('test-1');
    await tryReceiver(wish(receiver.address(), [SECRET]));
    const url = `http://127.0.0.1:${receiver.address()?.port}/webhook`;
    const send = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body: '{}' });
    expect((await send(signed('{}', { id: 'real' }))).status).toBe(202);
    expect((await send(signed('{}', { id: 'real' }))).status).toBe(202);
    expect((await send(signed('other', { id: 'forged' }))).status).toBe(401);
    await receiver.stop();
    expect(wakes).toEqual(['webhook']);
    expect(receiver.counts()).toMatchObject({ accepted: 2, duplicates: 1, refused: { signature: 1 } });
  });
});

describe('a receiver that fails the test', () => {
  it('refuses what our secret signed', async () => {
    const receiver = await receiverWith([SECRET]);
    expect(await tryReceiver(wish(receiver.address(), ['another secret']))).toEqual({
      kind: 'refused',
      status: 401,
    });
  });

  it('believes a forged one, for it has no secret', async () => {
    const receiver = await receiverWith([]);
    expect(await tryReceiver(wish(receiver.address(), [SECRET]))).toEqual({ kind: 'gullible' });
  });

  it('is another program, or none', async () => {
    const address = await strangerWith((_, response) => response.writeHead(404).end());
    expect(await tryReceiver(wish(address, []))).toEqual({ kind: 'refused', status: 404 });
    const silent = await strangerWith((request) => request.socket.destroy());
    expect(await tryReceiver(wish(silent, []))).toMatchObject({ kind: 'unreachable' });
  });
});
