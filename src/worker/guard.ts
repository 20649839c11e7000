// The guard: asks the ledger what was spent before a turn may start, for all, for a conversation, for a message.
import {
  type BudgetState,
  type Budgets,
  exceeded,
  isLimited,
  windowEnd,
  windowStart,
} from '../domain/budget.js';
import type { Claim } from '../domain/claim.js';
import { type LoopLimit, restUntil } from '../domain/loop-guard.js';
import type { WorkerParts } from './parts.js';

export interface GuardOptions {
  readonly budgets: Budgets;
  readonly loop: LoopLimit;
}

export type Overall =
  | { readonly kind: 'ok' }
  | { readonly kind: 'wait'; readonly why: string; readonly until: number }
  | { readonly kind: 'end'; readonly why: string };

export type ClaimGuard =
  | { readonly kind: 'ok' }
  /** Only this conversation waits. */
  | { readonly kind: 'rest'; readonly why: string; readonly until: number }
  | { readonly kind: 'dead'; readonly why: string };

export interface Resting {
  readonly why: string;
  readonly until: number;
}

export class Guard {
  readonly #parts: Pick<WorkerParts, 'ledger' | 'clock'>;
  readonly #options: GuardOptions;
  readonly #startedAt: number;
  readonly #resting = new Map<string, Resting>();

  constructor(parts: Pick<WorkerParts, 'ledger' | 'clock'>, options: GuardOptions, startedAt: number) {
    this.#parts = parts;
    this.#options = options;
    this.#startedAt = startedAt;
  }

  /** Conversations that rest now, for status. */
  get resting(): ReadonlyMap<string, Resting> {
    const now = this.#parts.clock.now();
    for (const [name, { until }] of this.#resting) if (until <= now) this.#resting.delete(name);
    return this.#resting;
  }

  /** The run's, the day's and the hour's budget, in this order: what ends comes before what waits. */
  async overall(): Promise<Overall> {
    const { ledger, clock } = this.#parts;
    const { budgets } = this.#options;
    const now = clock.now();
    if (isLimited(budgets.run)) {
      const over = exceeded(await ledger.spent({ since: this.#startedAt }), budgets.run);
      if (over) return { kind: 'end', why: `The budget of this run is spent: ${over}.` };
    }
    for (const window of ['day', 'hour'] as const) {
      if (!isLimited(budgets[window])) continue;
      const over = exceeded(await ledger.spent({ since: windowStart(window, now) }), budgets[window]);
      if (over) {
        const why = `The budget of this ${window} is spent: ${over}. Raise budget_${window}, or wait for the next one.`;
        return { kind: 'wait', why, until: windowEnd(window, now) };
      }
    }
    return { kind: 'ok' };
  }

  /** How far the limited budgets are spent, for status. */
  async spending(): Promise<BudgetState[]> {
    const { ledger, clock } = this.#parts;
    const { budgets } = this.#options;
    const now = clock.now();
    const states: BudgetState[] = [];
    for (const window of ['hour', 'day', 'run'] as const) {
      const cap = budgets[window];
      if (!isLimited(cap)) continue;
      const ofRun = window === 'run';
      const spent = await ledger.spent({ since: ofRun ? this.#startedAt : windowStart(window, now) });
      states.push({ window, cap, spent, endsAt: ofRun ? undefined : windowEnd(window, now) });
    }
    return states;
  }

  /** The caps that stop only this claim. */
  async ofClaim(claim: Claim): Promise<ClaimGuard> {
    const verdict = await this.judge(claim);
    if (verdict.kind === 'rest') {
      this.#resting.set(claim.conversation, { why: verdict.why, until: verdict.until });
    } else this.#resting.delete(claim.conversation);
    return verdict;
  }

  /** As `ofClaim`, with nothing noted. */
  async judge(claim: Claim): Promise<ClaimGuard> {
    const { ledger, clock } = this.#parts;
    const { budgets, loop } = this.#options;
    const now = clock.now();
    if (isLimited(budgets.message)) {
      const over = exceeded(await ledger.spent({ since: 0, claimId: claim.id }), budgets.message);
      if (over) return { kind: 'dead', why: `the budget of one message is spent: ${over}` };
    }
    const [since, until] = [windowStart('day', now), windowEnd('day', now)];
    if (isLimited(budgets.conversation)) {
      const { conversation } = claim;
      const over = exceeded(await ledger.spent({ since, conversation }), budgets.conversation);
      if (over) return { kind: 'rest', why: `the day's budget of ${conversation} is spent: ${over}`, until };
    }
    if (isLimited(budgets.sender)) {
      for (const sender of new Set(claim.messages.map((message) => message.sender))) {
        const over = exceeded(await ledger.spent({ since, sender }), budgets.sender);
        if (over)
          return { kind: 'rest', why: `the day's budget of the sender ${sender} is spent: ${over}`, until };
      }
    }
    const ends = await ledger.turnEnds(claim.conversation, now - loop.windowMs);
    const rest = restUntil(ends, now, loop);
    if (rest === undefined) return { kind: 'ok' };
    const why = `${claim.conversation} was answered ${ends.length} times within ${Math.round(loop.windowMs / 60_000)} min (loop guard)`;
    return { kind: 'rest', why, until: rest };
  }
}
