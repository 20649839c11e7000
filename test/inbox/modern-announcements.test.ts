// What a server of the newer era announces: one subscription, opened again at our own pace, and nothing unasked.
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../src/lib/deferred.js';
import { type ModernInbox, type ModernOptions, startModernInbox } from '../support/modern-inbox.js';
import { inboxOf, never } from './helpers.js';
import { steppedClock } from './stepped-clock.js';

async function modern(options: ModernOptions = {}): Promise<ModernInbox> {
  const server = await startModernInbox({ announces: true, ...options });
  onTestFinished(() => server.close());
  return server;
}

const listens = (server: ModernInbox): number =>
  server.log.filter((line) => line === 'subscriptions/listen').length;

/** Acknowledges a subscription by hand. */
function acknowledge(response: ServerResponse, id: unknown, notifications: object): void {
  const params = { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${line}\n\n`);
}

describe('the subscription', () => {
  it('tells of changes of the list of resources, and of those there are', async () => {
    const opened = deferred();
    const server = await modern({ onListening: () => opened.resolve() });
    const announced = vi.fn();
    const upstream = inboxOf(server, { onAnnounced: announced });
    await upstream.check(never);
    await opened.promise;
    server.notify.resourcesChanged();
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1));
    // What was not asked for is not heard; and the calls beside the stream go on as ever.
    server.notify.toolsChanged();
    server.notify.resourceUpdated('other://thing');
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    server.notify.resourceUpdated('inbox://agent');
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(2));
    expect(listens(server)).toBe(1);
  });

  it('is opened by nobody who does not listen', async () => {
    const server = await modern();
    await inboxOf(server).check(never);
    expect(server.log).toEqual(['server/discover', 'tools/list', 'call list_dms']);
  });

  it('is not asked for where the server has nothing to announce, and that is said', async () => {
    const server = await modern({ announces: false });
    const notices: string[] = [];
    const upstream = inboxOf(server, { onAnnounced: () => {}, onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    await vi.waitFor(() => expect(notices).toHaveLength(1));
    expect(notices[0]).toContain('announces no changes');
    expect(listens(server)).toBe(0);
  });

  it.each<[string, (id: unknown, response: ServerResponse) => void]>([
    [
      'refuses it',
      (id, response) => {
        const error = { code: -32_601, message: 'Method not found' };
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
    ],
    ['grants nothing of it', (id, response) => acknowledge(response, id, {})],
  ])('is asked for once where the server %s', async (_how, answer) => {
    const server = await modern();
    server.intercept = ({ id, method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      answer(id, response);
      return true;
    };
    const notices: string[] = [];
    const upstream = inboxOf(server, { onAnnounced: () => {}, onNotice: (text) => notices.push(text) });
    await upstream.check(never);
    await vi.waitFor(() => expect(notices).toHaveLength(1));
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(listens(server)).toBe(1);
  });

  it('that the server ends, politely or not, is opened again ever more slowly, and counts as a gap', async () => {
    const time = steppedClock();
    const server = await modern();
    let nth = 0;
    server.intercept = ({ id, method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      nth += 1;
      if (nth === 3) response.writeHead(503).end();
      else acknowledge(response, id, { resourcesListChanged: true });
      const result = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
      if (nth === 1) response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      if (nth === 2) setImmediate(() => response.destroy());
      return true;
    };
    const announced = vi.fn();
    const upstream = inboxOf(server, { clock: time.clock, onAnnounced: announced });
    await upstream.check(never);
    for (let opened = 1; opened <= 3; opened += 1) {
      await time.asleep();
      expect(listens(server)).toBe(opened);
      time.step();
    }
    expect(time.sleeps).toEqual([1_000, 2_000, 4_000]);
    // Opened again the second and the fourth time; the third time nobody was there.
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(2));
    await upstream.close();
  });

  it('begins its waits anew once it has held', async () => {
    const time = steppedClock();
    const server = await modern();
    const held = deferred<ServerResponse>();
    let nth = 0;
    server.intercept = ({ id, method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      nth += 1;
      acknowledge(response, id, { resourcesListChanged: true });
      if (nth === 3) held.resolve(response);
      else setImmediate(() => response.end());
      return true;
    };
    const announced = vi.fn();
    const upstream = inboxOf(server, { clock: time.clock, onAnnounced: announced });
    await upstream.check(never);
    for (let opened = 1; opened <= 2; opened += 1) {
      await time.asleep();
      time.step();
    }
    const stream = await held.promise;
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(2));
    time.pass(60_000);
    stream.end();
    await time.asleep();
    expect(time.sleeps).toEqual([1_000, 2_000, 1_000]);
    await upstream.close();
  });

  it('is given up with a last word when the server is another one: the next look greets it', async () => {
    const time = steppedClock();
    const server = await modern();
    let nth = 0;
    server.intercept = ({ id, method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      nth += 1;
      if (nth > 1) response.writeHead(400).end();
      else {
        acknowledge(response, id, { resourcesListChanged: true });
        setImmediate(() => response.end());
      }
      return true;
    };
    const announced = vi.fn();
    const notices: string[] = [];
    const onNotice = (text: string): void => void notices.push(text);
    await inboxOf(server, { clock: time.clock, onAnnounced: announced, onNotice }).check(never);
    await time.asleep();
    time.step();
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1));
    expect([listens(server), time.sleeps.length, notices]).toEqual([2, 1, []]);
  });

  it('ends with the connection', async () => {
    const server = await modern();
    const opened = deferred();
    const ended = deferred();
    server.intercept = ({ id, method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      acknowledge(response, id, { resourcesListChanged: true });
      response.on('close', () => ended.resolve());
      opened.resolve();
      return true;
    };
    const upstream = inboxOf(server, { onAnnounced: () => {} });
    await upstream.check(never);
    await opened.promise;
    await upstream.close();
    await ended.promise;
    expect(listens(server)).toBe(1);
  });
});
