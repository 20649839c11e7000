import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPair } from './support.js';

const SECRET = `whsec_${Buffer.from('a secret of the test').toString('base64')}`;

type Delivery = { headers: IncomingHttpHeaders; body: Buffer };

/** A receiver that answers with the given statuses in turn, the last one for ever; `'hang'` never answers. */
async function startReceiver(...statuses: (number | 'hang')[]) {
  const seen: Delivery[] = [];
  let arrived = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 202;
      seen.push({ headers: request.headers, body: Buffer.concat(chunks) });
      if (status !== 'hang') response.writeHead(status).end();
      arrived();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  async function deliveries(count: number): Promise<Delivery[]> {
    while (seen.length < count) {
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
    return seen;
  }
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, seen, deliveries };
}

function verified({ headers, body }: Delivery): unknown {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return new Webhook(SECRET).verify(body, flat);
}

describe('outgoing webhooks', () => {
  it('are signed over the raw bytes, and hold no text', async () => {
    const receiver = await startReceiver(202);
    const { inbox } = await startPair({ webhooks: [{ alias: '@bob', url: receiver.url, secret: SECRET }] });
    const { messageId } = inbox.post({ from: '@alice', to: '@bob', text: 'secret words' });
    const [delivery] = await receiver.deliveries(1);
    if (!delivery) throw new Error('no delivery');
    expect(verified(delivery)).toEqual({
      type: 'message.created',
      timestamp: expect.any(String),
      data: { to: '@bob', message_id: messageId },
    });
    const forged = { ...delivery, body: Buffer.from(delivery.body.toString().replace('bob', 'eve')) };
    expect(() => verified(forged)).toThrow();
  });

  it('are repeated with the same id until they are taken', async () => {
    const receiver = await startReceiver(500, 404, 302, 202);
    const { inbox } = await startPair({ webhookRetryMs: 1 });
    inbox.setWebhook('bob', { url: receiver.url, secret: SECRET });
    inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    const seen = await receiver.deliveries(4);
    expect(new Set(seen.map((delivery) => delivery.headers['webhook-id'])).size).toBe(1);
    for (const delivery of seen) verified(delivery);
  });

  it('are given up after five attempts', async () => {
    const receiver = await startReceiver(500);
    const failures: unknown[] = [];
    let given = () => {};
    const givenUp = new Promise<void>((resolve) => {
      given = resolve;
    });
    const { inbox } = await startPair({
      webhookRetryMs: 1,
      log: (event, facts) => {
        if (event === 'webhook-failed') failures.push(facts.attempt);
        if (failures.length === 5) given();
      },
    });
    inbox.setWebhook('@bob', { url: receiver.url, secret: SECRET });
    inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    await givenUp;
    await inbox.close();
    expect(failures).toEqual([1, 2, 3, 4, 5]);
    expect(receiver.seen).toHaveLength(5);
  });

  it('do not hold up sending or closing when the receiver hangs', async () => {
    const receiver = await startReceiver('hang');
    const { inbox } = await startPair();
    inbox.setWebhook('@bob', { url: receiver.url, secret: SECRET });
    for (let index = 0; index < 3; index += 1) inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    const seen = await receiver.deliveries(3);
    expect(new Set(seen.map((delivery) => delivery.headers['webhook-id'])).size).toBe(3);
    await inbox.close();
  });

  it('do not hold up closing while they wait for the next attempt', async () => {
    const receiver = await startReceiver(500);
    let failed = () => {};
    const failure = new Promise<void>((resolve) => {
      failed = resolve;
    });
    const { inbox } = await startPair({
      webhookRetryMs: 3_600_000,
      log: (event) => event === 'webhook-failed' && failed(),
    });
    inbox.setWebhook('@bob', { url: receiver.url, secret: SECRET });
    inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    await failure;
    await inbox.close();
    expect(receiver.seen).toHaveLength(1);
  });

  it('stop when the target is taken away', async () => {
    const receiver = await startReceiver(202);
    const { inbox } = await startPair();
    for (const alias of ['@alice', '@bob']) inbox.setWebhook(alias, { url: receiver.url, secret: SECRET });
    inbox.setWebhook('@bob', undefined);
    inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    inbox.post({ from: '@bob', to: '@alice', text: 'x' });
    const [delivery] = await receiver.deliveries(1);
    expect(delivery && verified(delivery)).toMatchObject({ data: { to: '@alice' } });
  });

  it('refuse a useless address or secret in a sentence that does not repeat the secret', async () => {
    const { inbox } = await startPair();
    expect(() => inbox.setWebhook('@bob', { url: 'ftp://x', secret: SECRET })).toThrow(/address of @bob/);
    const set = () => inbox.setWebhook('@bob', { url: 'http://127.0.0.1:1', secret: '%%%' });
    expect(set).toThrow(/secret of @bob/);
    expect(set).not.toThrow(/%%%/);
  });
});
