// Watches a turn's limits: time without a frame (of the model, of a tool, of an MCP tool), and time in all.
import type { TurnRequest } from '../ports/agent.js';
import type { Clock } from '../ports/clock.js';

export type TurnLimits = Pick<TurnRequest, 'silenceMs' | 'toolMs' | 'mcpToolMs' | 'limitMs'>;
export type PassedLimit = 'silence' | 'tool' | 'turn';

/** The longest silence that is still life: a tool may be quiet longer than a model, or must not. */
export function silenceLimit(limits: TurnLimits, tool: string | undefined): number {
  if (tool === undefined) return limits.silenceMs;
  return (tool.startsWith('mcp__') ? limits.mcpToolMs : limits.toolMs) ?? limits.silenceMs;
}

export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: TurnLimits;
  readonly #startedAt: number;
  #lastAt: number;
  #tool: string | undefined;
  #fed = new AbortController();

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startedAt = clock.now();
    this.#lastAt = this.#startedAt;
  }

  /** The limit that a silence would pass now, in ms. */
  get silenceMs(): number {
    return silenceLimit(this.#limits, this.#tool);
  }

  /** A frame came; `tool` runs from then on, or none does. */
  feed(tool?: string): void {
    this.#lastAt = this.#clock.now();
    if (tool === this.#tool) return;
    this.#tool = tool;
    // Another limit holds now, perhaps a shorter one: the sleep that waits for the old one is over.
    this.#fed.abort();
  }

  /** Resolves with the limit that was passed, or with undefined when `stop` aborts. */
  async expired(stop: AbortSignal): Promise<PassedLimit | undefined> {
    const turnAt = this.#startedAt + this.#limits.limitMs;
    while (!stop.aborted) {
      const sleep = new AbortController();
      this.#fed = sleep;
      const onStop = (): void => sleep.abort();
      stop.addEventListener('abort', onStop, { once: true });
      await this.#clock.sleepUntil(Math.min(this.#lastAt + this.silenceMs, turnAt), sleep.signal);
      stop.removeEventListener('abort', onStop);
      if (stop.aborted) break;
      const now = this.#clock.now();
      if (now >= turnAt) return 'turn';
      if (now >= this.#lastAt + this.silenceMs) return this.#tool === undefined ? 'silence' : 'tool';
    }
    return undefined;
  }
}
