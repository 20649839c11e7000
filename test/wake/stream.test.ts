import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WakeSource } from '../../src/ports/wake-source.js';
import { type WakeStreamOptions, wakeStream } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { type SseServer, startSseServer } from './sse-server.js';
import { NOW, Notices } from './support.js';

/** Shows who sleeps, until when. */
class WatchedClock extends VirtualClock {
  readonly #sleeps = new Set<{ readonly at: number }>();

  get due(): number[] {
    return [...this.#sleeps].map(({ at }) => at);
  }

  override async sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    const sleep = { at };
    this.#sleeps.add(sleep);
    await super.sleepUntil(at, signal);
    this.#sleeps.delete(sleep);
  }
}

let clock: WatchedClock;
let draws: number;
let pauses: number;
let notices: Notices;
let server: SseServer;
let wakes: string[];
let onWake: () => void;
let source: WakeSource;

beforeEach(async () => {
  clock = new WatchedClock(NOW);
  draws = 0;
  pauses = 0;
  notices = new Notices();
  server = await startSseServer();
  wakes = [];
  onWake = () => {};
});

afterEach(async () => {
  await source.stop();
  await server.close();
});

/** Not awaited by itself: `start` resolves only at the first opening or failure. */
function start(options: Partial<WakeStreamOptions> = {}): { started: Promise<void> } {
  const random = {
    next: () => {
      draws += 1;
      return 1 - Number.EPSILON;
    },
  };
  const headers = { authorization: 'Bearer agentdm_0123' };
  source = wakeStream({ url: server.url, headers, clock, random, observer: notices, ...options });
  const started = source.start((kind) => {
    wakes.push(kind);
    onWake();
  });
  return { started };
}

/** Resolves when there have been `count` wakes. */
function woken(count: number): Promise<void> {
  return new Promise((resolve) => {
    onWake = () => {
      if (wakes.length >= count) resolve();
    };
    onWake();
  });
}

/** Lets real I/O and virtual time go on in turns until `done`. */
async function when(done: () => boolean): Promise<void> {
  while (!done()) await clock.settle();
}

/**
 * Waits until the source has decided how long to wait, lets that time pass, and answers with it in seconds.
 * The source draws a random number for each wait, and while it waits nothing else sleeps.
 */
async function pause(): Promise<number> {
  pauses += 1;
  await when(() => draws === pauses);
  await clock.settle();
  const calls = server.calls;
  const from = clock.now();
  const [dueAt, ...others] = clock.due;
  expect(others).toEqual([]);
  if (dueAt === undefined) throw new Error('the source does not wait');
  await clock.advanceTo(dueAt - 1);
  expect(server.calls).toBe(calls);
  await clock.advanceTo(dueAt);
  return (dueAt - from) / 1000;
}

describe('an open stream', () => {
  it('is asked for with the key, and wakes at its opening', async () => {
    const { started } = start();
    const caller = await server.next();
    expect(source.connected()).toBe(false);
    expect(caller.request.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer agentdm_0123',
    });
    caller.open();
    await started;
    expect(source.connected()).toBe(true);
    expect(wakes).toEqual(['stream']);
    expect(notices.texts).toEqual([]);
  });

  it('wakes at unnamed and at `wake` events, however the bytes are cut', async () => {
    const { started } = start();
    const { response, open } = await server.next();
    open();
    await started;
    response.write('data: 1\n\n');
    await woken(2);
    response.write('event: wa');
    response.write('ke\r\ndata: {}\r\n\r\n');
    await woken(3);
    expect(wakes).toEqual(['stream', 'stream', 'stream']);
  });

  it('does not wake at comments and other events', async () => {
    const { started } = start();
    const { response, open } = await server.next();
    open();
    await started;
    response.write(': keepalive\n\nevent: ping\ndata: 1\n\nretry: 5\n\n');
    response.write('event: wake\ndata: 1\n\n');
    await woken(2);
    expect(wakes).toEqual(['stream', 'stream']);
  });

  it('is alive as long as bytes come, comments too', async () => {
    const { started } = start({ silenceMs: 60_000 });
    const { response, open } = await server.next();
    open();
    await started;
    for (let count = 2; count < 6; count += 1) {
      await clock.advance(50_000);
      response.write(': keepalive\n\ndata: 1\n\n');
      await woken(count);
      expect(source.connected()).toBe(true);
    }
    expect(server.calls).toBe(1);
  });

  it('is given up when it is silent for too long', async () => {
    const { started } = start({ silenceMs: 60_000 });
    const first = await server.next();
    first.open();
    await started;
    await clock.advance(59_999);
    expect(source.connected()).toBe(true);
    await clock.advance(1);
    await first.gone;
    expect(source.connected()).toBe(false);
    expect(await pause()).toBe(1);
    (await server.next()).open();
    await woken(2);
    expect(notices.texts).toEqual([]);
  });

  it('is given up when a line does not end', async () => {
    const { started } = start();
    const { response, open, gone } = await server.next();
    open();
    await started;
    const piece = Buffer.alloc(256 * 1024, 'x');
    response.on('error', () => {});
    for (let count = 0; count < 5; count += 1) response.write(piece);
    await gone;
    await when(() => notices.texts.length > 0);
    expect(notices.texts[0]).toContain('a line without end');
  });
});

describe('a server that closes politely', () => {
  it('is called again at the pace of the backoff, and no hotter, whatever it asks for', async () => {
    start();
    const waits: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      const caller = await server.next();
      caller.open('retry: 1\n\ndata: 1\n\n');
      await woken(count * 2 + 2);
      caller.response.end();
      waits.push(await pause());
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(notices.texts).toEqual([
      `warn: The wake stream ${server.url} ends again and again soon after it opened (closed by the server). The inbox is still polled.`,
    ]);
  });

  it('starts the backoff anew after a steady time, with one sentence that it works', async () => {
    start();
    for (let count = 0; count < 4; count += 1) {
      const caller = await server.next();
      caller.open();
      await woken(count + 1);
      caller.response.end();
      await pause();
    }
    const steady = await server.next();
    steady.open();
    await woken(5);
    await clock.advance(29_999);
    expect(notices.texts).toHaveLength(1);
    await clock.advance(1);
    expect(notices.texts).toHaveLength(2);
    expect(notices.texts[1]).toBe('info: The wake stream works again, after 12 s.');
    steady.response.end();
    expect(await pause()).toBe(1);
  });

  it('wakes at each opening: a wake may have been missed between', async () => {
    start();
    const first = await server.next();
    first.open();
    await woken(1);
    first.response.end();
    await pause();
    (await server.next()).open();
    await woken(2);
    expect(wakes).toHaveLength(2);
  });
});

describe('a stream that cannot be had', () => {
  it.each([
    [401, 'error', 'refuses the key (HTTP 401)'],
    [403, 'error', 'refuses the key (HTTP 403)'],
    [404, 'warn', 'There is no wake stream at'],
    [204, 'warn', 'There is no wake stream at'],
  ])('HTTP %i: a slow probe and one sentence', async (status, level, text) => {
    const { started } = start();
    (await server.next()).refuse(status);
    await started;
    expect(source.connected()).toBe(false);
    expect(await pause()).toBe(300);
    (await server.next()).refuse(status);
    expect(await pause()).toBe(300);
    expect(notices.texts).toHaveLength(1);
    expect(notices.texts[0]).toMatch(new RegExp(`^${level}: `));
    expect(notices.texts[0]).toContain(text);
    (await server.next()).open();
    await woken(1);
    await clock.advance(30_000);
    expect(notices.texts[1]).toBe('info: The wake stream works again, after 600 s.');
  });

  it('is no stream when it is a page', async () => {
    const { started } = start();
    const { response } = await server.next();
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello');
    await started;
    expect(notices.texts[0]).toContain('There is no wake stream at');
    expect(notices.texts[0]).toContain('text/html');
    expect(await pause()).toBe(300);
  });

  it('is waited for as the server asks', async () => {
    const { started } = start();
    (await server.next()).refuse(503, { 'retry-after': '45' });
    await started;
    expect(await pause()).toBe(45);
    (await server.next()).refuse(503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' });
    expect(await pause()).toBe(2);
    expect(notices.texts).toEqual([
      `warn: The wake stream ${server.url} is down (HTTP 503). The inbox is still polled.`,
    ]);
  });

  it('is found again when nobody listened for a while', async () => {
    const { port, url } = server;
    await server.close();
    const { started } = start({ url: `${url}?key=verysecret` });
    await started;
    expect(notices.texts[0]).toMatch(/^warn: The wake stream .* is down \(connect ECONNREFUSED .*\)/);
    expect(notices.texts[0]).not.toContain('verysecret');
    server = await startSseServer(port);
    await pause();
    (await server.next()).open();
    await woken(1);
    expect(source.connected()).toBe(true);
  });

  it('is given up when it does not answer at all', async () => {
    const { started } = start();
    const { gone } = await server.next();
    await clock.advance(15_000);
    await gone;
    await started;
    expect(notices.texts).toEqual([
      `warn: The wake stream ${server.url} is down (no answer within 15 s). The inbox is still polled.`,
    ]);
  });

  it('that changes from one trouble to another says so; one that flaps does not', async () => {
    start();
    for (const status of [500, 503, 502]) {
      (await server.next()).refuse(status);
      await pause();
    }
    const caller = await server.next();
    caller.open();
    await woken(1);
    caller.response.end();
    await pause();
    expect(notices.texts).toHaveLength(1);
    (await server.next()).refuse(401);
    await when(() => notices.texts.length === 2);
    expect(notices.texts[1]).toContain('refuses the key');
  });
});

describe('stop', () => {
  it('ends an open stream', async () => {
    const { started } = start();
    const caller = await server.next();
    caller.open();
    await started;
    await source.stop();
    await caller.gone;
    expect(source.connected()).toBe(false);
    await clock.advance(3_600_000);
    expect(server.calls).toBe(1);
    expect(notices.texts).toEqual([]);
  });

  it('ends a request without an answer, and the start that waits for it', async () => {
    const { started } = start();
    const caller = await server.next();
    await source.stop();
    await started;
    await caller.gone;
  });

  it('ends the wait between two tries', async () => {
    const { started } = start();
    (await server.next()).refuse(503);
    await started;
    await source.stop();
    await clock.advance(3_600_000);
    expect(server.calls).toBe(1);
  });

  it('is no error before the start, and may be repeated', async () => {
    const { started } = start();
    (await server.next()).open();
    await started;
    await source.stop();
    await source.stop();
  });
});
