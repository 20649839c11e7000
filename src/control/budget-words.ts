// How far a budget is spent, in words and as a share: the same on the command line and on the dashboard.
import type { BudgetState } from '../domain/budget.js';

export interface BudgetShare {
  /** `$0.42 of $10.00`, `1200 of 5000 tokens`. */
  readonly text: string;
  /** From 0 to 1, the limit itself; a turn that was under way may have gone beyond. */
  readonly share: number;
}

/** One for the money and one for the tokens, where they are limited. */
export function budgetShares({ cap, spent }: BudgetState): BudgetShare[] {
  const shares: BudgetShare[] = [];
  if (cap.usd !== 'unlimited') {
    shares.push({ text: `$${spent.usd.toFixed(2)} of $${cap.usd.toFixed(2)}`, share: spent.usd / cap.usd });
  }
  if (cap.tokens !== 'unlimited') {
    shares.push({ text: `${spent.tokens} of ${cap.tokens} tokens`, share: spent.tokens / cap.tokens });
  }
  return shares;
}
