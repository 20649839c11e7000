// Which deaths are told, and when: the first at once, those that follow soon after it together.
import type { WorkerEvent } from '../ports/observer.js';
import type { Death, News } from './news.js';

/** More in one telling would say no more. */
const LISTED = 50;

/** Knows no clock and tells nobody: events go in, and `next` is asked. */
export class Deaths {
  readonly #intervalMs: number;
  #pending: Death[] = [];
  #count = 0;
  #lastAt = -Infinity;

  /** @param earlier that no former run has told */
  constructor(intervalMs: number, earlier: readonly Death[] = []) {
    this.#intervalMs = intervalMs;
    for (const death of earlier) this.#add(death);
  }

  /** As of `Outages`. */
  get nextAt(): number | undefined {
    return this.#count === 0 ? undefined : this.#lastAt + this.#intervalMs;
  }

  hear(event: WorkerEvent): void {
    if (event.type !== 'dead') return;
    const { messages, conversation, attempts, error } = event;
    for (const id of messages) this.#add({ id, conversation, attempts, lastError: error });
  }

  /** @param hurry the process ends: there is no later */
  next(now: number, hurry: boolean): News | undefined {
    if (this.#count === 0 || (!hurry && now < this.#lastAt + this.#intervalMs)) return undefined;
    const news = { type: 'message.dead', messages: this.#pending, count: this.#count } as const;
    this.#pending = [];
    this.#count = 0;
    this.#lastAt = now;
    return news;
  }

  #add(death: Death): void {
    this.#count += 1;
    if (this.#pending.length < LISTED) this.#pending.push(death);
  }
}
