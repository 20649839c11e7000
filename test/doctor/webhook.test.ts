// The doctor's round trip through the webhook receiver: over the real one, and over what stands in its place.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/index.js';
import type { RunningWorker } from '../../src/doctor/running.js';
import { webhookRoundTrip } from '../../src/doctor/webhook.js';
import { webhookReceiver } from '../../src/wake/index.js';
import { realClock } from '../support/agent-rig.js';
import { MemoryDeliveries, Notices, SECRET } from '../wake/support.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const settings = (over: Partial<Settings> = {}) =>
  ({ webhook: true, webhookHost: '127.0.0.1', webhookPort: 0, webhookSecret: [SECRET], ...over }) as Settings;

async function running(secrets: readonly string[] | 'deaf'): Promise<RunningWorker> {
  const entry = { pid: 4711 } as RunningWorker['entry'];
  if (secrets === 'deaf') return { entry, ways: { id: 'test' } };
  const receiver = webhookReceiver({
    port: 0,
    secrets,
    deliveries: new MemoryDeliveries(),
    clock: realClock,
    observer: new Notices(),
  });
  ends.push(() => receiver.stop());
  await receiver.start(() => {});
  receiver.expectTest('test');
  const webhook = receiver.address();
  return { entry, ways: { id: 'test', ...(webhook && { webhook: { ...webhook, path: receiver.path } }) } };
}

describe('without a worker', () => {
  it('binds the receiver that there would be, and gives the port back', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    ends.push(() => server.close());
    expect(await webhookRoundTrip(settings({ webhookPort: port }), undefined)).toMatchObject({
      state: 'warn',
      text: expect.stringContaining(`127.0.0.1:${port} is taken by another program`),
      fix: expect.stringContaining('webhook_port'),
    });
    await new Promise((resolve) => server.close(resolve));
    const there = settings({ webhookPort: port });
    for (const _ of [1, 2]) {
      expect(await webhookRoundTrip(there, undefined)).toEqual({
        state: 'ok',
        text: `A signed test delivery woke the webhook receiver at 127.0.0.1:${port}; a forged one was refused.`,
      });
    }
  });

  it('says that without a secret anybody here may wake', async () => {
    const finding = await webhookRoundTrip(settings({ webhookSecret: [] }), undefined);
    expect(finding).toMatchObject({ state: 'ok', text: expect.stringContaining('without a secret') });
  });

  it('refuses to listen to everybody without a secret, and is not asked for where none is wanted', async () => {
    const open = settings({ webhookHost: '0.0.0.0', webhookSecret: [] });
    await expect(webhookRoundTrip(open, undefined)).rejects.toMatchObject({ code: 'webhook-insecure' });
    expect(await webhookRoundTrip(settings({ webhook: false }), undefined)).toMatchObject({ state: 'skip' });
  });

  it('tries the receiver that listens everywhere from here', async () => {
    const finding = await webhookRoundTrip(settings({ webhookHost: '0.0.0.0' }), undefined);
    expect(finding.state).toBe('ok');
  });
});

describe('with a worker that runs', () => {
  it.each([
    [[SECRET], 'ok', /signed test delivery woke the worker that runs here \(process 4711\)/],
    [['another'], 'warn', /our settings make was refused \(HTTP 401\)/],
    [[], 'warn', /forged test delivery was believed/],
    ['deaf' as const, 'warn', /does not listen, and polls/],
  ])('whose secrets are %j: %s', async (secrets, state, text) => {
    const finding = await webhookRoundTrip(settings(), await running(secrets));
    expect(finding).toMatchObject({ state, text: expect.stringMatching(text) });
    expect('fix' in finding).toBe(state === 'warn');
  });
});
