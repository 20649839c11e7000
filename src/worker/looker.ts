// Looking: one cheap call to the upstream inbox, spooled to the mailbox; woken early, bounded by the schedule.
import { announces, LATE_WAKE_MS, mergeWakes, type Wake, type WakeKind } from '../domain/wake.js';
import type { LookOutcome } from '../ports/upstream.js';
import { holdFor, messageOf, storeIsWell } from './faults.js';
import type { HoldBoard } from './hold-board.js';
import { Intake, type Tally } from './intake.js';
import { Latch } from './latch.js';
import { LookSchedule } from './look-schedule.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

export interface LookFacts {
  lastAt: number | undefined;
  lastSuccessAt: number | undefined;
  nextAt: number | undefined;
  count: number;
  missedWakes: number;
  lastWokenBy: readonly WakeKind[];
}

export interface LookListener {
  /** Something new is on disk. */
  onMail(): void;
  /** The inbox answers: what waited for that may go on. */
  onReached(): void;
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
  readonly #holds: HoldBoard;
  readonly #listener: LookListener;
  readonly #intake: Intake;
  readonly #schedule: LookSchedule;
  readonly #wakes = new Latch<Wake>((wake) => wake.kind);
  /** Wakes that came while the inbox wants to be left alone. */
  #postponed: Wake[] = [];
  /** A webhook announced the latest mail: it works, so long sleeps are safe. */
  #announced = false;
  #unannouncedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard, listener: LookListener) {
    this.#parts = parts;
    this.#holds = holds;
    this.#listener = listener;
    this.#intake = new Intake(parts, options);
    this.#schedule = new LookSchedule(options);
  }

  wake(kind: WakeKind): void {
    const at = this.#parts.clock.now();
    const late = announces(kind) && at - this.#unannouncedAt < LATE_WAKE_MS;
    if (late) {
      this.facts.missedWakes -= 1;
      this.#unannouncedAt = Number.NEGATIVE_INFINITY;
      this.#announced = true;
    }
    this.#parts.observer.on({ type: 'woken', kind, late });
    this.#wakes.set({ kind, at });
  }

  /** Something happened that makes mail likely: sleep short again. */
  pulse(pulse: 'settled' | 'did-work'): void {
    const before = this.facts.nextAt;
    this.#schedule.pulse(this.#parts.clock.now(), pulse);
    const nextAt = this.#noteNext();
    if (nextAt !== before) this.#parts.observer.on({ type: 'look-due', nextAt });
    this.#wakes.poke();
  }

  /** The options are others. */
  renewed(): void {
    this.#schedule.renewed();
    if (this.facts.nextAt !== undefined) this.#noteNext();
    this.#wakes.poke();
  }

  /** Looks, sleeps, looks again, until `signal` aborts. A look under way is finished, not cut: `force` cuts it. */
  async run(signal: AbortSignal, force: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      const wakes = [...this.#postponed, ...this.#wakes.take()];
      this.#postponed = [];
      const now = clock.now();
      const kinds = mergeWakes(wakes);
      const woken = kinds.length > 0 && this.#schedule.heldUntil(kinds) <= now;
      if (woken || this.#schedule.dueAt(this.#live()) <= now) {
        const first: WakeKind = this.facts.count === 0 ? 'start' : 'timer';
        await this.look(kinds.length > 0 ? kinds : [first], force);
      } else {
        this.#postponed = wakes;
        const until = Math.min(this.#schedule.dueAt(this.#live()), now + this.#schedule.longestWaitMs);
        await this.#wakes.wait(until, clock, signal);
      }
    }
  }

  /** One look. Answers how it ended; the next one is scheduled. */
  async look(wokenBy: readonly WakeKind[], signal: AbortSignal): Promise<LookOutcome> {
    const { clock, upstream, observer } = this.#parts;
    const tally: Tally = { fresh: 0, known: 0 };
    const beganAt = clock.now();
    this.facts.lastAt = beganAt;
    this.facts.count += 1;
    this.facts.lastWokenBy = wokenBy;
    observer.on({ type: 'look-began', wokenBy });
    try {
      if (this.#holds.knows('store-down')) await this.#probeStore();
      await this.#intake.catchUp(tally);
      const outcome = await upstream.look((batch) => this.#intake.spool(batch, tally), signal);
      if (outcome.kind === 'looked') this.#succeeded(tally, wokenBy, beganAt);
      else this.#failed(outcome, beganAt);
      return outcome;
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      const outcome = { kind: 'down', message: messageOf(error) } as const;
      this.#failed(outcome, beganAt, false);
      return outcome;
    } finally {
      // Whatever was spooled before a failure waits to be answered.
      if (tally.fresh > 0) this.#listener.onMail();
    }
  }

  /** With no mail nothing would be written for hours, and nobody would hear that a database is back. */
  async #probeStore(): Promise<void> {
    const { mailbox, clock } = this.#parts;
    await mailbox.spool([], clock.now());
    this.#holds.clear('store-down');
  }

  /** At the end of a run: one more try to put on disk what a full one refused. Who drained it can get it nowhere else. */
  async finish(): Promise<void> {
    try {
      await this.#intake.catchUp({ fresh: 0, known: 0 });
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
    }
  }

  #succeeded(tally: Tally, wokenBy: readonly WakeKind[], beganAt: number): void {
    const { clock, observer, wakeSources } = this.#parts;
    const now = clock.now();
    this.#holds.clear('inbox-down');
    this.#holds.clear('inbox-unauthorised');
    // Only a write proves that the disk takes writes again.
    if (tally.fresh > 0) storeIsWell(this.#holds);
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
    this.#schedule.succeeded(now, tally.fresh > 0 ? 'mail' : 'empty');
    const [nextAt, durationMs] = [this.#noteNext(), now - beganAt];
    observer.on({ type: 'looked', ...tally, wokenBy, missed, nextAt, durationMs });
    this.#listener.onReached();
  }

  #failed(outcome: Exclude<LookOutcome, { kind: 'looked' }>, beganAt: number, placeHold = true): void {
    const { clock, observer, random } = this.#parts;
    const now = clock.now();
    this.#schedule.failed(now, outcome, random.next());
    const nextAt = this.#noteNext();
    if (outcome.kind === 'unauthorised') this.#holds.place('inbox-unauthorised', outcome.message);
    else if (placeHold) this.#holds.place('inbox-down', outcome.message);
    const { kind, message: text } = outcome;
    observer.on({ type: 'look-failed', outcome: kind, text, nextAt, durationMs: now - beganAt });
  }

  #noteNext(): number {
    this.facts.nextAt = this.#schedule.dueAt(this.#live());
    return this.facts.nextAt;
  }

  #live(): boolean {
    return this.#announced || this.#parts.wakeSources.some((source) => source.connected());
  }
}
