import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Latch } from '../../src/worker/latch.js';
import { VirtualClock } from '../support/virtual-clock.js';

const never = new AbortController().signal;

it('keeps what is set while nobody waits', async () => {
  const latch = new Latch<string>((value) => value);
  latch.set('webhook');
  await latch.wait(Number.POSITIVE_INFINITY, new VirtualClock(), never);
  expect(latch.take()).toEqual(['webhook']);
  expect(latch.take()).toEqual([]);
});

it('ends a wait at once when set, poked or aborted, and at its instant otherwise', async () => {
  const clock = new VirtualClock();
  const latch = new Latch<string>((value) => value);
  const abort = new AbortController();
  for (const end of [() => latch.set('x'), () => latch.poke(), () => abort.abort()]) {
    let over = false;
    latch.take();
    const wait = latch.wait(clock.now() + 1_000_000, clock, abort.signal).then(() => {
      over = true;
    });
    await clock.settle();
    expect(over).toBe(false);
    end();
    await wait;
  }
  latch.take();
  const waited = latch.wait(clock.now() + 5_000, clock, never);
  await clock.advance(5_000);
  await waited;
});

it('loses no wake, in whatever order sets, waits and takes fall', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('set', 'turn'), { maxLength: 40 }), async (steps) => {
      const clock = new VirtualClock();
      const latch = new Latch<number>((value) => String(value));
      const stop = new AbortController();
      const taken: number[] = [];
      const reader = (async () => {
        while (!stop.signal.aborted) {
          taken.push(...latch.take());
          await latch.wait(Number.POSITIVE_INFINITY, clock, stop.signal);
        }
        taken.push(...latch.take());
      })();
      let sent = 0;
      for (const step of steps) {
        if (step === 'set') latch.set(sent++);
        else await clock.settle();
      }
      stop.abort();
      await reader;
      expect(taken).toEqual([...Array(sent).keys()]);
    }),
    { numRuns: 50 },
  );
});
