// The script that containers are looked after by, against real answers.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookReceiver } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { DEPLOY } from './known.js';

async function answering(status: number, body: string): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function check(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { exitCode, stdout } = await execa(process.execPath, [join(DEPLOY, 'healthcheck.mjs'), ...args], {
    env,
    extendEnv: false,
    reject: false,
  });
  return { exitCode, stdout };
}

it('is content with a receiver that listens, wherever the variables say', async () => {
  const receiver = webhookReceiver({
    host: '127.0.0.1',
    port: 0,
    secrets: [],
    deliveries: { remember: async () => true },
    clock: new VirtualClock(),
    observer: { on: () => {} },
  });
  await receiver.start(() => {});
  onTestFinished(() => receiver.stop());
  const port = String(receiver.address()?.port);
  for (const env of [{ WEBHOOK_PORT: port }, { INBOX_WORKER_WEBHOOK_PORT: port, WEBHOOK_PORT: '1' }]) {
    expect(await check([], env)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^200 /) });
  }
  expect((await check([`http://127.0.0.1:${port}/healthz`])).exitCode).toBe(0);
});

describe('a worker that', () => {
  it.each([
    ['waits for something', 503, '{"status":"inbox-down"}', 1, 0],
    ['is stuck', 503, '{"status":"stuck"}', 1, 1],
    ['is deaf', 503, '{"status":"deaf"}', 1, 1],
    ['is no worker at all', 404, 'not found', 1, 1],
  ])('%s', async (_what, status, body, fit, alive) => {
    const env = { WEBHOOK_PORT: String(await answering(status, body)) };
    expect((await check([], env)).exitCode).toBe(fit);
    expect((await check(['--alive'], env)).exitCode).toBe(alive);
  });

  it('does not answer', async () => {
    const gone = await check(['--alive'], { WEBHOOK_PORT: '1' });
    expect(gone).toEqual({ exitCode: 1, stdout: expect.stringMatching(/does not answer: /) });
  });
});
