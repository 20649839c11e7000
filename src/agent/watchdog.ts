// Watches a turn's two limits: time without a frame, and time in all.
import type { Clock } from '../ports/clock.js';

export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: { readonly silenceMs: number; readonly limitMs: number };
  readonly #startedAt: number;
  #lastAt: number;

  constructor(clock: Clock, limits: { readonly silenceMs: number; readonly limitMs: number }) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startedAt = clock.now();
    this.#lastAt = this.#startedAt;
  }

  /** A frame came. */
  feed(): void {
    this.#lastAt = this.#clock.now();
  }

  /** Resolves with the limit that was passed, or with undefined when `stop` aborts. */
  async expired(stop: AbortSignal): Promise<'silence' | 'turn' | undefined> {
    const turnAt = this.#startedAt + this.#limits.limitMs;
    while (!stop.aborted) {
      const silenceAt = this.#lastAt + this.#limits.silenceMs;
      await this.#clock.sleepUntil(Math.min(silenceAt, turnAt), stop);
      if (stop.aborted) break;
      const now = this.#clock.now();
      if (now >= turnAt) return 'turn';
      if (now >= this.#lastAt + this.#limits.silenceMs) return 'silence';
    }
    return undefined;
  }
}
