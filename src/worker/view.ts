// What a worker tells of itself to whoever asks; asking changes nothing.
import { type Fitness, type HealthFacts, judgeFitness } from '../domain/health.js';
import type { Preview } from '../domain/preview.js';
import type { Status } from '../domain/status.js';
import type { Gate } from './gate.js';
import type { HoldBoard } from './hold-board.js';
import type { LookFacts } from './looker.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { previewNext } from './preview.js';
import { describeStatus } from './status.js';
import type { Ticker } from './ticker.js';
import type { WakeDesk } from './wake-desk.js';

export interface ViewSources {
  readonly parts: WorkerParts;
  readonly options: WorkerOptions;
  readonly holds: HoldBoard;
  readonly gate: Gate;
  readonly look: LookFacts;
  readonly ticker: Ticker;
  readonly wakes: WakeDesk;
  readonly startedAt: number;
  isStopping(): boolean;
}

export class WorkerView {
  readonly #sources: ViewSources;

  constructor(sources: ViewSources) {
    this.#sources = sources;
  }

  status(): Promise<Status> {
    return describeStatus({ ...this.#sources, facts: this.#facts });
  }

  /** From memory, at once. */
  fitness(): Fitness {
    return judgeFitness(this.#facts);
  }

  /** What it would do now, without doing it. */
  preview(): Promise<Preview> {
    const { parts, options, gate, look, ticker } = this.#sources;
    const { guard, session, runner } = ticker;
    const running = runner.current?.conversation;
    return previewNext({ parts, options, gate, guard, session, running, nextLookAt: look.nextAt });
  }

  get #facts(): HealthFacts {
    const { parts, options, holds, look, ticker, startedAt, isStopping } = this.#sources;
    return {
      now: parts.clock.now(),
      holds: holds.current,
      startedAt,
      stopping: isStopping(),
      look,
      turn: ticker.runner.current,
      silenceMs: Math.max(options.silenceMs, options.toolMs, options.mcpToolMs),
    };
  }
}
