// The gate: may a turn start now? Asked before anything is claimed, and again before the prompt is written.
import { type Decision, decide } from '../domain/decide.js';
import type { Guard } from './guard.js';
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

export class Gate {
  readonly #parts: Pick<WorkerParts, 'clock' | 'flags'>;
  readonly #maxTurns: WorkerOptions['maxTurns'];
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
    this.#maxTurns = options.maxTurns;
    this.#holds = holds;
    this.#guard = guard;
    this.#keeper = keeper;
  }

  /** Reads the control files and the budgets, places or lifts their holds, and decides. `spent`: why the run ends. */
  async ask(): Promise<{ decision: Decision; spent: string | undefined }> {
    await this.#readFlags();
    const overall = await this.#guard.overall();
    if (overall.kind === 'wait') this.#holds.place('over-budget', overall.why, overall.until);
    else this.#holds.clear('over-budget');
    this.#holds.blocking();
    const spent = overall.kind === 'end' ? overall.why : undefined;
    const decision = decide({
      now: this.#parts.clock.now(),
      holds: this.#holds.current,
      quiet: this.#keeper.isQuiet(),
      turns: this.#keeper.turns(),
      runSpent: spent,
      maxTurns: this.#maxTurns,
    });
    return { decision, spent };
  }

  /** Getting ready can take a minute, and somebody may have paused or stopped us in it. */
  async isOpen(): Promise<boolean> {
    return (await this.ask()).decision.kind === 'go';
  }

  async #readFlags(): Promise<void> {
    const { flags } = this.#parts;
    if (await flags.take('stop')) this.#keeper.onStop();
    if (await flags.paused())
      this.#holds.place('paused', 'Paused by the control file `pause`; remove it to go on.');
    else this.#holds.clear('paused');
  }
}
