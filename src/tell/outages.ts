// Which holds are told, and when: one telling at each edge, none of a short one, none too soon after the last.
import type { Hold, HoldReason } from '../domain/hold.js';
import type { WorkerEvent } from '../ports/observer.js';
import type { News } from './news.js';

export interface OutageRules {
  readonly reasons: readonly HoldReason[];
  /** How long a hold must have stood. */
  readonly afterMs: number;
  /** Between two tellings that the same hold began. */
  readonly intervalMs: number;
}

/** What was told of one hold, in this run or an earlier one. */
export interface ToldHold {
  readonly toldAt: number;
  /** Its end was not told yet. */
  readonly open: { readonly why: string; readonly since: number } | undefined;
}

export type ToldHolds = Partial<Readonly<Record<HoldReason, ToldHold>>>;

/** These end the run at once, or belong to whoever has taken over: told without a wait, and not remembered. */
const FINAL: readonly HoldReason[] = ['lease-lost'];
const OF_THE_INBOX: readonly HoldReason[] = ['inbox-down', 'inbox-unauthorised'];

/**
 * Knows no clock and tells nobody: events go in, and `next` is asked. Per hold: standing, told (`open`), or neither.
 * A hold that a former run has told as begun is open still, and is over when something shows it.
 */
export class Outages {
  readonly #rules: OutageRules;
  readonly #told = new Map<HoldReason, ToldHold>();
  /** That have begun in this run and not ended. */
  readonly #standing = new Map<HoldReason, Hold>();
  /** When a standing one is to be told. */
  readonly #due = new Map<HoldReason, number>();
  readonly #untold = new Map<HoldReason, number>();
  #ends: Extract<News, { type: 'hold.ended' }>[] = [];

  constructor(rules: OutageRules, earlier: ToldHolds = {}) {
    this.#rules = rules;
    for (const reason of rules.reasons) {
      const told = earlier[reason];
      if (told) this.#told.set(reason, told);
    }
  }

  /** To be remembered over a restart. */
  get told(): ToldHolds {
    return Object.fromEntries([...this.#told].filter(([reason]) => !FINAL.includes(reason)));
  }

  /** The instant from which `next` has something to tell; undefined while nothing is due to come. */
  get nextAt(): number | undefined {
    if (this.#ends.length > 0) return 0;
    return this.#due.size === 0 ? undefined : Math.min(...this.#due.values());
  }

  hear(event: WorkerEvent, now: number): void {
    if (event.type === 'hold-began') this.#began(event.hold, now);
    else if (event.type === 'hold-ended') this.#ended(event.hold.reason, event.at);
    // A look that succeeded, or a turn that did: no such hold of an earlier run can stand.
    else if (event.type === 'looked') this.#over((reason) => OF_THE_INBOX.includes(reason), now);
    else if (event.type === 'turn-ended' && event.outcome === 'completed') {
      this.#over((reason) => !OF_THE_INBOX.includes(reason), now);
    }
  }

  /** Takes what is to be told now. */
  next(now: number): News | undefined {
    const end = this.#ends.shift();
    if (end) return end;
    const [due] = [...this.#due].find(([, at]) => at <= now) ?? [];
    const hold = due && this.#standing.get(due);
    if (!hold) return undefined;
    const { reason, why, since, until } = hold;
    this.#due.delete(reason);
    this.#told.set(reason, { toldAt: now, open: { why, since } });
    const untold = this.#untold.get(reason) ?? 0;
    this.#untold.delete(reason);
    return { type: 'hold.began', reason, why, since, until, untold };
  }

  #began(hold: Hold, now: number): void {
    const { reasons, afterMs, intervalMs } = this.#rules;
    if (!reasons.includes(hold.reason)) return;
    this.#standing.set(hold.reason, hold);
    const told = this.#told.get(hold.reason)?.toldAt;
    const due = FINAL.includes(hold.reason) ? now : Math.max(now + afterMs, (told ?? -Infinity) + intervalMs);
    this.#due.set(hold.reason, due);
  }

  #ended(reason: HoldReason, at: number): void {
    if (!this.#standing.delete(reason)) return;
    if (this.#due.delete(reason)) this.#untold.set(reason, (this.#untold.get(reason) ?? 0) + 1);
    this.#close(reason, at);
  }

  #over(concerns: (reason: HoldReason) => boolean, at: number): void {
    for (const reason of this.#told.keys()) {
      if (concerns(reason) && !this.#standing.has(reason)) this.#close(reason, at);
    }
  }

  #close(reason: HoldReason, endedAt: number): void {
    const told = this.#told.get(reason);
    if (!told?.open) return;
    this.#ends.push({ type: 'hold.ended', reason, ...told.open, endedAt });
    this.#told.set(reason, { ...told, open: undefined });
  }
}
