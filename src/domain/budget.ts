// Budgets and caps: what was spent against what may be spent, and until when to wait.

/** What turns cost: US dollars, and input and output tokens together. */
export interface Spend {
  readonly usd: number;
  readonly tokens: number;
}

export type Amount = number | 'unlimited';

/** There is no zero that means "no limit": what is not limited says so. */
export interface Cap {
  readonly usd: Amount;
  readonly tokens: Amount;
}

export const NO_CAP: Cap = { usd: 'unlimited', tokens: 'unlimited' };

/** `message`, `conversation` and `sender` stop only themselves; `hour` and `day` wait for their end; `run` ends it. */
export interface Budgets {
  readonly message: Cap;
  /** Per conversation and day. */
  readonly conversation: Cap;
  /** Per sender and day. */
  readonly sender: Cap;
  readonly hour: Cap;
  readonly day: Cap;
  readonly run: Cap;
}

export type BudgetWindow = 'hour' | 'day';

/** A budget of all turns together, and how far it is spent. */
export interface BudgetState {
  readonly window: BudgetWindow | 'run';
  readonly cap: Cap;
  readonly spent: Spend;
  /** When it begins anew, epoch ms; undefined for the run's, which ends with the run. */
  readonly endsAt: number | undefined;
}

const WINDOW_MS: Record<BudgetWindow, number> = { hour: 3_600_000, day: 86_400_000 };

/** Windows are those of UTC: they do not move with the machine's time zone, and a restart falls into the same one. */
export function windowStart(window: BudgetWindow, now: number): number {
  return now - (now % WINDOW_MS[window]);
}

export function windowEnd(window: BudgetWindow, now: number): number {
  return windowStart(window, now) + WINDOW_MS[window];
}

export const isLimited = (cap: Cap): boolean => cap.usd !== 'unlimited' || cap.tokens !== 'unlimited';

/** Why nothing more may be spent, as a part of a sentence; undefined while something may. */
export function exceeded(spent: Spend, cap: Cap): string | undefined {
  if (cap.usd !== 'unlimited' && spent.usd >= cap.usd)
    return `$${spent.usd.toFixed(2)} of $${cap.usd.toFixed(2)}`;
  if (cap.tokens !== 'unlimited' && spent.tokens >= cap.tokens)
    return `${spent.tokens} of ${cap.tokens} tokens`;
  return undefined;
}
