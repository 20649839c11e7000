// A clock of the tests whose sleeps are written down, and end when the test says so.
import { deferred } from '../../src/lib/deferred.js';
import type { Clock } from '../../src/ports/clock.js';

export function steppedClock() {
  const sleeps: number[] = [];
  let now = 0;
  let wake: (() => void) | undefined;
  let began = deferred<void>();
  const clock: Clock = {
    now: () => now,
    sleepUntil: (at, signal) =>
      new Promise((resolve) => {
        sleeps.push(at - now);
        wake = () => {
          now = at;
          resolve();
        };
        signal.addEventListener('abort', () => resolve(), { once: true });
        began.resolve();
      }),
  };
  return {
    clock,
    sleeps,
    /** Resolves when the next sleep has begun. */
    async asleep(): Promise<void> {
      await began.promise;
      began = deferred<void>();
    },
    step: () => wake?.(),
    pass: (ms: number) => {
      now += ms;
    },
  };
}
