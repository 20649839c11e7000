// Caps and limits of a simulated worker, small enough to be met.
import { type Budgets, NO_CAP } from '../../src/domain/budget.js';
import type { Setting } from './plan.js';

/** A sum of it is exact in binary. */
export const TURN_USD = 0.25;
export const LOOP_WINDOW_MS = 30 * 60_000;
export const WAIT_NOTICE_MS = 5 * 60_000;

/** Three turns' worth of one kind, or nothing limited at all. */
export function budgetsOf({ budget }: Setting): Budgets {
  const all: Budgets = {
    message: NO_CAP,
    conversation: NO_CAP,
    sender: NO_CAP,
    hour: NO_CAP,
    day: NO_CAP,
    run: NO_CAP,
  };
  return budget === 'none' ? all : { ...all, [budget]: { usd: 3 * TURN_USD, tokens: 'unlimited' } };
}
