// Watches money and rounds: no turn begins where a budget is spent or a conversation goes round too often.
import { type Budgets, windowStart } from '../../src/domain/budget.js';
import type { ClaimRecord, MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import { budgetsOf, LOOP_WINDOW_MS } from './limits.js';
import type { Setting } from './plan.js';

/** What the ledger on disk holds of a turn. */
interface Spent {
  readonly claimId: string;
  readonly conversation: string;
  readonly startedAt: number;
  readonly usd: number;
}

export class SpendWatch {
  readonly #disk: MemoryDisk;
  readonly #record: Chronicle;
  readonly #setting: Setting;
  readonly #budgets: Budgets;

  constructor(disk: MemoryDisk, record: Chronicle, setting: Setting) {
    this.#disk = disk;
    this.#record = record;
    this.#setting = setting;
    this.#budgets = budgetsOf(setting);
  }

  /** @param runStartedAt when this run of the worker began */
  begins(claim: ClaimRecord, now: number, runStartedAt: number, nth: number): void {
    if (this.#setting.budget !== 'none') this.#budget(claim, now, runStartedAt, nth);
    if (this.#setting.loopTurns === 'unlimited') return;
    const ends = [...this.#disk.turns.values()].filter(
      ({ begun, result }) =>
        begun.conversation === claim.conversation &&
        (result?.verdict === 'answered' || result?.verdict === 'silent') &&
        result.endedAt > now - LOOP_WINDOW_MS &&
        result.endedAt <= now,
    );
    if (ends.length >= this.#setting.loopTurns) {
      this.#record.violate(
        'loop',
        `turn ${nth}: ${claim.conversation} had ${ends.length} turns in the window`,
      );
    }
  }

  #budget(claim: ClaimRecord, now: number, runStartedAt: number, nth: number): void {
    const today = windowStart('day', now);
    const senders = this.#sendersOf(claim.id);
    const sums: Record<keyof Budgets, readonly Spent[]> = {
      run: this.#since(runStartedAt),
      hour: this.#since(windowStart('hour', now)),
      day: this.#since(today),
      conversation: this.#since(today).filter((turn) => turn.conversation === claim.conversation),
      message: this.#since(0).filter((turn) => turn.claimId === claim.id),
      sender: [],
    };
    for (const kind of Object.keys(sums) as (keyof Budgets)[]) this.#compare(kind, sums[kind], nth);
    for (const sender of senders) {
      const theirs = this.#since(today).filter((turn) => this.#sendersOf(turn.claimId).has(sender));
      this.#compare('sender', theirs, nth);
    }
  }

  #compare(kind: keyof Budgets, turns: readonly Spent[], nth: number): void {
    const usd = turns.reduce((sum, turn) => sum + turn.usd, 0);
    const most = this.#budgets[kind].usd;
    if (most === 'unlimited' || usd < most) return;
    this.#record.violate('budget', `turn ${nth} began with $${usd} of the $${most} of one ${kind} spent`);
  }

  #since(at: number): Spent[] {
    return [...this.#disk.turns.values()]
      .filter(({ begun }) => begun.startedAt >= at)
      .map(({ begun, result }) => ({ ...begun, usd: result?.usage.costUsd ?? 0 }));
  }

  #sendersOf(claimId: string): Set<string> {
    const mine = [...this.#disk.messages.values()].filter((message) => message.claimId === claimId);
    return new Set(mine.map((message) => message.incoming.sender));
  }
}
