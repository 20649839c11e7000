// When to look next: the idle sleep, cut short while nothing is proven to wake us, and the waits after a failure.
import { effectiveSleepMs, nextSleepMs, type Pulse, withinLimits } from '../domain/backoff.js';
import { retryDelayMs } from '../domain/retry.js';
import type { WakeKind } from '../domain/wake.js';
import type { LookOutcome } from '../ports/upstream.js';
import type { WorkerOptions } from './options.js';

const FAILED_LOOK = { baseMs: 2_000, maxMs: 60_000 };
/** A refused key does not heal by asking often. */
const UNAUTHORISED_PROBE_MS = 5 * 60_000;
const RATE_LIMIT_MS = 60_000;
/** A person asked: then even a refusing inbox is tried. */
const BY_HAND: readonly WakeKind[] = ['manual', 'signal', 'file', 'start'];

export class LookSchedule {
  readonly #options: Pick<WorkerOptions, 'backoff'>;
  #sleepMs: number;
  /** From when the sleep counts; undefined before the first look. */
  #from: number | undefined;
  #noLaterThan = Number.POSITIVE_INFINITY;
  /** After a failure: when to try again, whatever the sleep. */
  #retryAt: number | undefined;
  /** The inbox asked to be left alone until then: wakes and pulses wait too. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(options: Pick<WorkerOptions, 'backoff'>) {
    this.#options = options;
    this.#sleepMs = options.backoff.minMs;
  }

  get #limits() {
    return this.#options.backoff;
  }

  /** The limits are others: the sleep that runs keeps to them, too. */
  renewed(): void {
    this.#sleepMs = withinLimits(this.#sleepMs, this.#limits);
  }

  /** Asked anew at each turn of the loop: a wake source that breaks in a long sleep cuts it short. */
  dueAt(live: boolean): number {
    if (this.#from === undefined) return Number.NEGATIVE_INFINITY;
    const idle = this.#from + effectiveSleepMs(this.#sleepMs, live, this.#limits);
    const due = this.#retryAt ?? Math.min(idle, this.#noLaterThan);
    return Math.max(due, this.#notBefore);
  }

  /** How long a wait may be before `dueAt` is asked again. */
  get longestWaitMs(): number {
    return this.#limits.unprovenMaxMs ?? this.#limits.maxMs;
  }

  /** Until when a wake of this kind has to wait. */
  heldUntil(kinds: readonly WakeKind[]): number {
    return kinds.some((kind) => BY_HAND.includes(kind)) ? Number.NEGATIVE_INFINITY : this.#notBefore;
  }

  succeeded(now: number, pulse: Extract<Pulse, 'mail' | 'empty'>): void {
    this.#failures = 0;
    this.#retryAt = undefined;
    this.#notBefore = Number.NEGATIVE_INFINITY;
    this.#sleepMs = nextSleepMs(this.#sleepMs, pulse, this.#limits);
    this.#from = now;
    this.#noLaterThan = Number.POSITIVE_INFINITY;
  }

  /** @param random in [0, 1) */
  failed(now: number, outcome: Exclude<LookOutcome, { kind: 'looked' }>, random: number): void {
    this.#failures += 1;
    this.#from = now;
    if (outcome.kind === 'unauthorised') this.#notBefore = now + UNAUTHORISED_PROBE_MS;
    if (outcome.kind === 'rate-limited') this.#notBefore = outcome.until ?? now + RATE_LIMIT_MS;
    this.#retryAt = now + retryDelayMs(this.#failures, FAILED_LOOK, random);
  }

  /** Something happened that makes mail likely: sleep short again. */
  pulse(now: number, pulse: Extract<Pulse, 'settled' | 'did-work'>): void {
    if (this.#from === undefined) return;
    // Never later than it would have been: a long sleep that is nearly over stays so.
    this.#noLaterThan = Math.min(this.#noLaterThan, this.#from + this.#sleepMs);
    this.#from = now;
    this.#sleepMs = nextSleepMs(this.#sleepMs, pulse, this.#limits);
  }
}
