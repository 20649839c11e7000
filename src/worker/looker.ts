// Looking: one cheap call to the upstream inbox, spooled to the mailbox; when to look next.
import { admits } from '../domain/addressing.js';
import { effectiveSleepMs, nextSleepMs, type Pulse } from '../domain/backoff.js';
import { isForUs } from '../domain/channel.js';
import type { IncomingMessage } from '../domain/message.js';
import { retryDelayMs } from '../domain/retry.js';
import { announces, mergeWakes, type Wake, type WakeKind } from '../domain/wake.js';
import type { LookOutcome } from '../ports/upstream.js';
import { holdFor, messageOf } from './faults.js';
import type { HoldBoard } from './hold-board.js';
import { Latch } from './latch.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

const FAILED_LOOK = { baseMs: 2_000, maxMs: 60_000 };
/** A refused key does not heal by asking often. */
const UNAUTHORISED_PROBE_MS = 5 * 60_000;
const RATE_LIMIT_MS = 60_000;
/** A wake that comes this soon after its mail was found had merely lost the race: not a missed one. */
const LATE_WAKE_MS = 10_000;

export interface LookFacts {
  lastAt: number | undefined;
  lastSuccessAt: number | undefined;
  nextAt: number | undefined;
  count: number;
  missedWakes: number;
  lastWokenBy: readonly WakeKind[];
}

export class Looker {
  readonly facts: LookFacts = {
    lastAt: undefined,
    lastSuccessAt: undefined,
    nextAt: undefined,
    count: 0,
    missedWakes: 0,
    lastWokenBy: [],
  };
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #onMail: () => void;
  readonly #wakes = new Latch<Wake>((wake) => wake.kind);
  #sleepMs: number;
  #failures = 0;
  /** A webhook announced the latest mail: it works, so long sleeps are safe. */
  #announced = false;
  #unannouncedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard, onMail: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#onMail = onMail;
    this.#sleepMs = options.backoff.minMs;
  }

  wake(kind: WakeKind): void {
    const at = this.#parts.clock.now();
    if (announces(kind) && at - this.#unannouncedAt < LATE_WAKE_MS) {
      this.facts.missedWakes -= 1;
      this.#unannouncedAt = Number.NEGATIVE_INFINITY;
      this.#announced = true;
    }
    this.#parts.observer.on({ type: 'woken', kind });
    this.#wakes.set({ kind, at });
  }

  /** Something happened that makes mail likely: sleep short again. */
  pulse(pulse: Extract<Pulse, 'settled' | 'did-work'>): void {
    this.#sleepMs = nextSleepMs(this.#sleepMs, pulse, this.#options.backoff);
    this.facts.nextAt = Math.min(
      this.facts.nextAt ?? Number.POSITIVE_INFINITY,
      this.#parts.clock.now() + this.#sleepMs,
    );
    this.#wakes.poke();
  }

  /** Looks, sleeps, looks again, until `signal` aborts. A look under way is finished, not cut: `force` cuts it. */
  async run(signal: AbortSignal, force: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wakes = this.#wakes.take();
      const due = this.facts.nextAt === undefined || this.facts.nextAt <= this.#parts.clock.now();
      if (wakes.length > 0 || due) {
        const first: WakeKind = this.facts.count === 0 ? 'start' : 'timer';
        await this.look(wakes.length > 0 ? mergeWakes(wakes) : [first], force);
      } else {
        await this.#wakes.wait(this.facts.nextAt ?? 0, this.#parts.clock, signal);
      }
    }
  }

  /** One look. Answers how it ended; the next one is scheduled. */
  async look(wokenBy: readonly WakeKind[], signal: AbortSignal): Promise<LookOutcome> {
    const { clock, upstream } = this.#parts;
    const tally = { fresh: 0, known: 0 };
    this.facts.lastAt = clock.now();
    this.facts.count += 1;
    this.facts.lastWokenBy = wokenBy;
    try {
      const outcome = await upstream.look((batch) => this.#spool(batch, tally), signal);
      if (outcome.kind === 'looked') this.#succeeded(tally, wokenBy);
      else this.#failed(outcome);
      return outcome;
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      const outcome = { kind: 'down', message: messageOf(error) } as const;
      this.#failed(outcome, false);
      return outcome;
    } finally {
      // Whatever was spooled before a failure waits to be answered.
      if (tally.fresh > 0) this.#onMail();
    }
  }

  async #spool(batch: readonly IncomingMessage[], tally: { fresh: number; known: number }): Promise<void> {
    const { mailbox, clock, upstream } = this.#parts;
    const { admission, channels } = this.#options;
    const silent = batch.filter(
      (message) =>
        message.kind === 'system' ||
        !isForUs(message, channels, upstream.ownName) ||
        message.sender === upstream.ownName ||
        !admits(admission, message.sender),
    );
    const result = await mailbox.spool(batch, clock.now(), new Set(silent.map((message) => message.id)));
    tally.fresh += result.fresh;
    tally.known += result.known;
  }

  #succeeded(tally: { fresh: number; known: number }, wokenBy: readonly WakeKind[]): void {
    const { clock, observer, wakeSources } = this.#parts;
    const now = clock.now();
    this.#failures = 0;
    this.#holds.clear('inbox-down');
    this.#holds.clear('inbox-unauthorised');
    this.facts.lastSuccessAt = now;
    const announced = wokenBy.some(announces);
    // The first look of a run finds what came while nobody ran: no wake was owed.
    const missed =
      tally.fresh > 0 &&
      !announced &&
      wakeSources.some((source) => source.announces()) &&
      !wokenBy.includes('start') &&
      this.facts.count > 1;
    if (missed) {
      this.facts.missedWakes += 1;
      this.#unannouncedAt = now;
    }
    if (tally.fresh > 0) this.#announced = announced;
    this.#sleepMs = nextSleepMs(this.#sleepMs, tally.fresh > 0 ? 'mail' : 'empty', this.#options.backoff);
    this.facts.nextAt = now + effectiveSleepMs(this.#sleepMs, this.#live(), this.#options.backoff);
    observer.on({ type: 'looked', ...tally, wokenBy, missed, nextAt: this.facts.nextAt });
  }

  #failed(outcome: Exclude<LookOutcome, { kind: 'looked' }>, placeHold = true): void {
    const { clock, observer, random } = this.#parts;
    this.#failures += 1;
    this.#sleepMs = nextSleepMs(this.#sleepMs, 'failed', this.#options.backoff);
    const now = clock.now();
    const waitMs = retryDelayMs(this.#failures, FAILED_LOOK, random.next());
    if (outcome.kind === 'unauthorised') {
      this.#holds.place('inbox-unauthorised', outcome.message);
      this.facts.nextAt = now + UNAUTHORISED_PROBE_MS;
    } else {
      if (placeHold) this.#holds.place('inbox-down', outcome.message);
      this.facts.nextAt =
        outcome.kind === 'rate-limited' ? (outcome.until ?? now + RATE_LIMIT_MS) : now + waitMs;
    }
    observer.on({ type: 'look-failed', outcome: outcome.kind, text: outcome.message });
  }

  #live(): boolean {
    return this.#announced || this.#parts.wakeSources.some((source) => source.connected());
  }
}
