import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, describe, expect, it } from 'vitest';
import { controlClient } from '../../src/control/client.js';
import { type ControlOptions, controlApp } from '../../src/control/routes.js';
import type { MessageStory } from '../../src/control/wire.js';
import { WorkerError } from '../../src/domain/errors.js';
import { noting } from './operations.js';
import { preview, RELOADED, status } from './status.js';

const TOKEN = 'token-of-this-run';
let server: Server | undefined;

async function listen(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const made = createServer(handler);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}
async function close(): Promise<void> {
  const closing = server;
  server = undefined;
  if (!closing) return;
  closing.closeAllConnections();
  await new Promise((resolve) => closing.close(resolve));
}
afterEach(close);

const client = (url: string, deadlineMs = 5000, token = TOKEN) =>
  controlClient({ kind: 'worker', pid: 42, control: { url, token } }, { deadlineMs });

async function served(over: Partial<ControlOptions> = {}) {
  const did: string[] = [];
  const app = controlApp({
    token: TOKEN,
    isAllowedHost: (host) => host?.startsWith('127.0.0.1:') === true,
    ...noting(did),
    show: async (id) =>
      id === 'm/1' ? ({ message: { id }, sends: [], turns: [] } as unknown as MessageStory) : undefined,
    turns: async (limit) => [{ id: `t${limit}` } as never],
    dead: async () => ({ messages: [], sends: [], total: { messages: 3, sends: 0 } }),
    retry: async (id) => {
      did.push(`retry ${id}`);
      return { claimId: 'c1', messages: 2, waits: true };
    },
    ...over,
  });
  const url = await listen(getRequestListener(app.fetch));
  return { did, url };
}

describe('controlClient', () => {
  it('asks and steers a running worker', async () => {
    const { did, url } = await served();
    const worker = client(url);
    expect(await worker.status()).toEqual(JSON.parse(JSON.stringify(status())));
    expect(await worker.next()).toEqual(JSON.parse(JSON.stringify(preview())));
    expect(await worker.reload()).toEqual(RELOADED);
    await worker.wake();
    await worker.stop('force');
    expect(await worker.wakeTest()).toMatchObject({ id: 'test', webhook: { port: 8787 } });
    expect(did).toEqual(['wake manual', 'stop force']);
    expect(await worker.show('m/1')).toMatchObject({ message: { id: 'm/1' } });
    expect(await worker.show('m2')).toBeUndefined();
    expect(await worker.turns(7)).toEqual([{ id: 't7' }]);
  });

  it('finds one of several by the path in its address', async () => {
    const asked: string[] = [];
    const url = await listen((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    await client(`${url}/scout`).wake();
    expect(asked).toEqual(['/scout/control/wake']);
  });

  it('asks for reports, whatever stands in the names', async () => {
    const { did, url } = await served();
    const worker = client(url);
    const query = { states: ['dead', 'retry'], conversation: '#a&b=c %', before: 7, limit: 3 } as const;
    expect(await worker.conversations()).toEqual({ conversations: [], total: 3 });
    expect(await worker.messages(query)).toEqual({ messages: [], more: true });
    await worker.messages({ limit: 9 });
    expect(await worker.idsLike('a/b?&')).toEqual(['a/b?&-1']);
    expect(await worker.series({ from: 0, to: 5_000, bucketMs: 1_000 })).toEqual([]);
    expect(await worker.latencies({ from: 1, to: 2 })).toEqual({ latencies: [], more: false });
    expect(did).toEqual([
      'conversations',
      `messages ${JSON.stringify(query)}`,
      'messages {"limit":9}',
      'ids a/b?&',
      'series {"from":0,"to":5000,"bucketMs":1000}',
      'latencies {"from":1,"to":2}',
    ]);
  });

  it('lists, retries, drops and decides', async () => {
    const { did, url } = await served();
    const worker = client(url);
    expect(await worker.dead()).toEqual({ messages: [], sends: [], total: { messages: 3, sends: 0 } });
    expect(await worker.retry('m/1')).toEqual({ claimId: 'c1', messages: 2, waits: true });
    expect(await worker.drop('m/1')).toEqual({ messages: 1 });
    await worker.settleUnsure(12, 'resend');
    await worker.settleUnsure(13, 'drop');
    expect(did.filter((what) => what !== 'changed')).toEqual([
      'retry m/1',
      'drop m/1',
      'resend 12',
      'drop 13',
    ]);
    const unknown = { code: 'usage', exitCode: 2, message: 'The mailbox never saw a message m2.' };
    await expect(worker.retry('m2')).rejects.toMatchObject(unknown);
    await expect(worker.drop('m2')).rejects.toMatchObject(unknown);
  });

  it('throws what the worker threw', async () => {
    const { url } = await served({
      status: () => Promise.reject(new WorkerError('lease-lost', 'Gone.', { hint: 'Look there.' })),
    });
    await expect(client(url).status()).rejects.toMatchObject({
      code: 'lease-lost',
      message: 'Gone.',
      hint: 'Look there.',
      exitCode: 3,
    });
  });

  it('says not running when nobody listens', async () => {
    const { url } = await served();
    await close();
    const refused = { code: 'not-running', exitCode: 8, message: expect.stringContaining('pid 42') };
    await expect(client(url).status()).rejects.toMatchObject(refused);
    await expect(client(url).stop('drain')).rejects.toMatchObject(refused);
  });

  it('says not running when another program or another run answers', async () => {
    const { url } = await served();
    await expect(client(url, 5000, 'old-token').status()).rejects.toMatchObject({ code: 'not-running' });
    await close();
    const other = await listen((_request, response) => response.end('<h1>hello</h1>'));
    await expect(client(other).status()).rejects.toMatchObject({ code: 'not-running' });
    await close();
    const missing = await listen((_request, response) => response.writeHead(404).end('nothing here'));
    await expect(client(missing).show('x')).rejects.toMatchObject({ code: 'not-running' });
  });

  it('waits no longer than its deadline', async () => {
    const url = await listen(() => {});
    await expect(client(url, 30).status()).rejects.toMatchObject({
      code: 'internal',
      message: 'No answer from the worker with pid 42 within 0.03 s.',
    });
  });

  it('takes a connection that breaks while stopping for a stop', async () => {
    const url = await listen((request) => request.socket.destroy());
    await client(url).stop('force');
    await expect(client(url).wake()).rejects.toMatchObject({ code: 'not-running' });
  });

  it('says so when the entry has nothing to steer', async () => {
    await expect(controlClient({ kind: 'inbox', pid: 1 }).wake()).rejects.toMatchObject({
      code: 'not-running',
    });
  });
});
