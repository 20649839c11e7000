// Signed webhooks over real HTTP, verified as a receiver would.
import { expect, it } from 'vitest';
import { type PostOptions, post } from '../../src/tell/post.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { receiver } from './receiver.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

/** Time that passes at once, and is true: receivers look at the timestamp. */
class QuickClock extends VirtualClock {
  readonly waits: number[] = [];
  override async sleepUntil(at: number): Promise<void> {
    this.waits.push(at - this.now());
  }
}

const options = (more: Partial<PostOptions> = {}): PostOptions & { clock: QuickClock } => ({
  id: 'msg_1',
  body: '{"type":"hold.began"}',
  signal: new AbortController().signal,
  ...more,
  clock: new QuickClock(Date.now()),
});
const target = (url: string, ...secrets: string[]) => ({ kind: 'webhook', url, secrets }) as const;

it('is signed by each secret, so that either verifies', async () => {
  const { url, posts } = await receiver();
  expect(await post(target(url, SECRET, OTHER), options())).toEqual({
    kind: 'told',
    how: 'by a webhook, at try 1',
  });
  const got = posts.items[0];
  expect([SECRET, OTHER].map((secret) => got?.verify(secret))).toEqual([
    { type: 'hold.began' },
    { type: 'hold.began' },
  ]);
  expect(() => got?.verify(`whsec_${Buffer.alloc(24, 3).toString('base64')}`)).toThrow();
  expect(got?.headers['content-type']).toBe('application/json');
});

it('is tried three times more, longer apart, with one id', async () => {
  const { url, posts } = await receiver(500, 429, 408);
  const told = options();
  expect(await post(target(url, SECRET), told)).toMatchObject({
    kind: 'told',
    how: 'by a webhook, at try 4',
  });
  expect(told.clock.waits).toEqual([1_000, 4_000, 16_000]);
  expect(posts.items.map(({ id }) => id)).toEqual(Array(4).fill('msg_1'));

  const down = await receiver(500, 500, 500, 503);
  expect(await post(target(down.url, SECRET), options())).toEqual({
    kind: 'failed',
    why: 'it answered 503 (tried 4 times)',
  });
});

it('is not tried again where that cannot help', async () => {
  const { url, posts } = await receiver(404);
  expect(await post(target(url, SECRET), options())).toEqual({ kind: 'failed', why: 'it answered 404' });
  expect(posts.items).toHaveLength(1);
});

it('is never sent on by a redirect', async () => {
  const there = await receiver();
  const { url } = await receiver(there.url);
  expect(await post(target(url, SECRET), options())).toEqual({
    kind: 'failed',
    why: 'it answered with a redirect (307)',
  });
  expect(there.posts.items).toEqual([]);
});

it('says what is wrong with an address nobody answers at, and does not name its path', async () => {
  const { kind, ...outcome } = await post(target('http://127.0.0.1:1/as-good-as-a-key', SECRET), options());
  expect([kind, JSON.stringify(outcome)]).toEqual(['failed', expect.not.stringContaining('as-good-as')]);
  expect(outcome).toMatchObject({ why: expect.stringMatching(/tried 4 times/) });
});

it('ends with the worker', async () => {
  const { url, posts } = await receiver(500, 500);
  const end = new AbortController();
  const clock = new VirtualClock(Date.now());
  const told = post(target(url, SECRET), { ...options(), clock, signal: end.signal });
  await posts.first(() => true, 'the first try');
  end.abort();
  expect(await told).toMatchObject({ kind: 'failed' });
  expect(posts.items).toHaveLength(1);
});
