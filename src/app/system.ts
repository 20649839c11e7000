// The real world behind the pure ports: clock, identities, chance.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.js';
import type { Ids, Random } from '../ports/ids.js';

/** Timers drift over a suspended machine, so a long sleep looks at the clock at least this often. */
const SLICE_MS = 30_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleepUntil(at, signal) {
    for (let left = at - Date.now(); left > 0 && !signal.aborted; left = at - Date.now()) {
      await slice(Math.min(left, SLICE_MS), signal);
    }
  },
};

function slice(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  word: () => randomBytes(12).toString('hex'),
};

export const systemRandom: Random = { next: () => Math.random() };
