// The gate: may a turn start now? Asked before anything is claimed, and again before the prompt is written.
import { type Decision, decide } from '../domain/decide.js';
import { type Hold, type Holds, lift, place } from '../domain/hold.js';
import type { Guard, Overall } from './guard.js';
import type { HoldBoard } from './hold-board.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

/** What the worker itself knows and the gate asks for. */
export interface GateKeeper {
  /** The worker is stopping. */
  isQuiet(): boolean;
  /** Turns started in this run. */
  turns(): number;
  /** The control file `stop` was there. */
  onStop(): void;
}

/** A hold that stands or not, as the gate finds it. */
type Found = Pick<Hold, 'why' | 'until'> | undefined;

const PAUSED = {
  why: 'Paused: `inbox-worker resume` goes on (as does removing the control file `pause`).',
  until: undefined,
};

export class Gate {
  readonly #parts: Pick<WorkerParts, 'clock' | 'flags'>;
  readonly #options: Pick<WorkerOptions, 'maxTurns'>;
  readonly #holds: HoldBoard;
  readonly #guard: Guard;
  readonly #keeper: GateKeeper;

  constructor(
    parts: Pick<WorkerParts, 'clock' | 'flags'>,
    options: Pick<WorkerOptions, 'maxTurns'>,
    holds: HoldBoard,
    guard: Guard,
    keeper: GateKeeper,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#guard = guard;
    this.#keeper = keeper;
  }

  /** Reads the control files and the budgets, places or lifts their holds, and decides. `spent`: why the run ends. */
  async ask(): Promise<{ decision: Decision; spent: string | undefined }> {
    if (await this.#parts.flags.take('stop')) this.#keeper.onStop();
    this.#note('paused', await this.#pause());
    const overall = await this.#guard.overall();
    this.#note('over-budget', budgetHold(overall));
    this.#holds.blocking();
    const spent = overall.kind === 'end' ? overall.why : undefined;
    return { decision: this.#decide(this.#holds.current, spent), spent };
  }

  /** What `ask` would decide: nothing is taken, placed or lifted. */
  async preview(): Promise<{ decision: Decision; spent: string | undefined }> {
    const overall = await this.#guard.overall();
    let holds = withFound(this.#holds.current, 'paused', await this.#pause(), this.#now);
    holds = withFound(holds, 'over-budget', budgetHold(overall), this.#now);
    const spent = overall.kind === 'end' ? overall.why : undefined;
    return { decision: this.#decide(holds, spent), spent };
  }

  /** Getting ready can take a minute, and somebody may have paused or stopped us in it. */
  async isOpen(): Promise<boolean> {
    return (await this.ask()).decision.kind === 'go';
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  #decide(holds: Holds, runSpent: string | undefined): Decision {
    return decide({
      now: this.#now,
      holds,
      quiet: this.#keeper.isQuiet(),
      turns: this.#keeper.turns(),
      runSpent,
      maxTurns: this.#options.maxTurns,
    });
  }

  async #pause(): Promise<Found> {
    return (await this.#parts.flags.paused()) ? PAUSED : undefined;
  }

  #note(reason: 'paused' | 'over-budget', found: Found): void {
    if (found) this.#holds.place(reason, found.why, found.until);
    else this.#holds.clear(reason);
  }
}

function budgetHold(overall: Overall): Found {
  return overall.kind === 'wait' ? { why: overall.why, until: overall.until } : undefined;
}

function withFound(holds: Holds, reason: 'paused' | 'over-budget', found: Found, now: number): Holds {
  return found ? place(holds, { reason, ...found, since: now }) : lift(holds, reason);
}
