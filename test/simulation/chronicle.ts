// What a story tells: its events in order, its numbers, and the first invariant that broke.
import type { Agenda } from './agenda.js';
import { clockOf } from './plan.js';

export interface Violation {
  /** Its short name: a shrunk story must break the same one. */
  readonly invariant: string;
  readonly text: string;
}

/** Counted in every story; what falls into the upstream's own window stands apart. */
export interface Tally {
  turns: number;
  starts: number;
  deaths: number;
  delivered: number;
  answered: number;
  silent: number;
  dead: number;
  /** Consumed by a look whose worker ended, or never heard the answer: an inbox without a peek lost it. */
  lostInWindow: number;
  /** Delivered twice by `resend` to an inbox without idempotency keys. */
  doubledInWindow: number;
  unsure: number;
}

export class Chronicle {
  readonly lines: string[] = [];
  readonly tally: Tally = {
    turns: 0,
    starts: 0,
    deaths: 0,
    delivered: 0,
    answered: 0,
    silent: 0,
    dead: 0,
    lostInWindow: 0,
    doubledInWindow: 0,
    unsure: 0,
  };
  violation: Violation | undefined;
  readonly #agenda: Agenda;
  readonly #startAt: number;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
    this.#startAt = agenda.now;
  }

  tell(who: string, text: string): void {
    this.lines.push(`${clockOf(this.#agenda.now - this.#startAt)} ${who} ${text}`);
  }

  /** The first one counts: what follows from it is noise. */
  violate(invariant: string, text: string): void {
    if (this.violation) return;
    this.violation = { invariant, text };
    this.tell('!!', `${invariant}: ${text}`);
  }
}
