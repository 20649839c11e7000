// A clock that stands still until a test moves it: sleepers wake in order of their instants.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock.js';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export class VirtualClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(startAt = Date.UTC(2026, 10, 30, 12)) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || at <= this.#now) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        at,
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          signal.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    for (let round = 0; round < 10; round += 1) await setImmediate();
  }

  /** Moves to `at` (epoch ms), waking each sleeper at its own instant on the way. */
  async advanceTo(at: number): Promise<void> {
    await this.settle();
    for (;;) {
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > at) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
    await this.settle();
  }

  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms);
  }

  /** Lets time pass, sleeper by sleeper, until `done` holds; fails after `limitMs` of virtual time. */
  async until(done: () => boolean, what: string, limitMs = 24 * 3_600_000): Promise<void> {
    const limit = this.#now + limitMs;
    await this.settle();
    while (!done()) {
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > limit) throw new Error(`${what} did not happen (virtual time stands still)`);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await this.settle();
    }
  }
}
