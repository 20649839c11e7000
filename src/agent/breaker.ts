// Keeps a Claude Code that does not start from being started over and over.
import { retryDelayMs } from '../domain/retry.js';

const LIMITS = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Remembers the last failed start, of whatever shape `T`. */
export class Breaker<T> {
  #failures = 0;
  #last: T | undefined;
  #untilAt = 0;

  failed(outcome: T, now: number): void {
    this.#failures += 1;
    this.#last = outcome;
    // Unjittered: there is one of us, and a user who reads "in 8 s" should be able to count.
    this.#untilAt = now + retryDelayMs(this.#failures, LIMITS, 1);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#last = undefined;
  }

  /** While it is too early for another try: the last outcome, and when the next try is allowed (epoch ms). */
  blocking(now: number): { readonly outcome: T; readonly untilAt: number } | undefined {
    // A clock set back must not lengthen the wait beyond its maximum.
    const waits = now < this.#untilAt && this.#untilAt - now <= LIMITS.maxMs;
    return this.#last !== undefined && waits ? { outcome: this.#last, untilAt: this.#untilAt } : undefined;
  }
}
