import { expect, it } from 'vitest';
import { notificationSource } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A started source, and the seconds at which it woke. */
async function started() {
  const clock = new VirtualClock();
  const startAt = clock.now();
  const source = notificationSource({ clock });
  const wakes: number[] = [];
  await source.start((kind) => {
    expect(kind).toBe('notification');
    wakes.push((clock.now() - startAt) / 1000);
  });
  return { clock, source, wakes };
}

it('wakes at once, and again at once after a quiet time', async () => {
  const { clock, source, wakes } = await started();
  source.heard();
  expect(wakes).toEqual([0]);
  await clock.advance(10_000);
  source.heard();
  expect(wakes).toEqual([0, 10]);
  await source.stop();
});

it('makes one wake of what comes together, and forgets none', async () => {
  const { clock, source, wakes } = await started();
  for (let count = 0; count < 100; count += 1) source.heard();
  await clock.advance(60_000);
  expect(wakes).toEqual([0, 2]);
  await source.stop();
});

it('slows down a server that announces every look, to one in 15 s', async () => {
  const clock = new VirtualClock();
  const source = notificationSource({ clock });
  const wakes: number[] = [];
  await source.start(() => {
    wakes.push(clock.now());
    source.heard();
  });
  source.heard();
  await clock.advance(60 * 60_000);
  expect(wakes.length).toBeLessThan(250);
  expect((wakes.at(-1) ?? 0) - (wakes.at(-2) ?? 0)).toBe(15_000);
  await source.stop();
});

it('is quick again once a quiet time has passed without a word', async () => {
  const { clock, source, wakes } = await started();
  for (let second = 0; second < 60; second += 1) {
    source.heard();
    await clock.advance(1_000);
  }
  expect(wakes).toEqual([0, 2, 6, 14, 29, 44, 59]);
  await clock.advance(60_000);
  wakes.length = 0;
  source.heard();
  source.heard();
  await clock.advance(2_000);
  expect(wakes).toEqual([120, 122]);
  await source.stop();
});

it('owes a wake for what was announced before it was started', async () => {
  const clock = new VirtualClock();
  const source = notificationSource({ clock });
  source.heard();
  const kinds: string[] = [];
  await source.start((kind) => kinds.push(kind));
  expect(kinds).toEqual(['notification']);
  await source.stop();
});

it('promises mail only once the server has announced something, and never that it is connected', async () => {
  const { source } = await started();
  expect([source.announces(), source.connected()]).toEqual([false, false]);
  source.heard();
  expect([source.announces(), source.connected()]).toEqual([true, false]);
  await source.stop();
});

it('wakes nobody after its stop', async () => {
  const { clock, source, wakes } = await started();
  source.heard();
  source.heard();
  await source.stop();
  source.heard();
  await clock.advance(60_000);
  expect(wakes).toEqual([0]);
});
