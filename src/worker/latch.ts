// A latch: what is set while nobody waits is found by the next who does. No wake is lost between check and sleep.
import { type Deferred, deferred } from '../lib/deferred.js';
import type { Clock } from '../ports/clock.js';

/** Holds values by key, so that a storm of equal ones stays one. */
export class Latch<T> {
  readonly #keyOf: (value: T) => string;
  #held = new Map<string, T>();
  #waiter: Deferred | undefined;

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf;
  }

  set(value: T): void {
    const key = this.#keyOf(value);
    if (!this.#held.has(key)) this.#held.set(key, value);
    this.poke();
  }

  /** Ends a wait without setting anything: the waiter looks again at its deadline. */
  poke(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  take(): T[] {
    const values = [...this.#held.values()];
    this.#held.clear();
    return values;
  }

  /** Resolves when something is set or poked, at the instant `until`, or when `signal` aborts. One waiter at a time. */
  async wait(until: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#held.size > 0 || signal.aborted) return;
    const waiter = deferred();
    this.#waiter = waiter;
    const sleep = new AbortController();
    const stop = (): void => sleep.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([waiter.promise, clock.sleepUntil(until, sleep.signal)]);
    } finally {
      signal.removeEventListener('abort', stop);
      sleep.abort();
      if (this.#waiter === waiter) this.#waiter = undefined;
    }
  }
}
