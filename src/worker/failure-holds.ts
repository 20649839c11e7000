// What a failed turn says about the next one: nothing, or a hold.
import type { TurnFailure, TurnOutcome } from '../domain/turn.js';
import type { HoldBoard } from './hold-board.js';

const MINUTE_MS = 60_000;

/** Where nothing better is known: 429 waits 60 s, 529 waits 30 s, growing when repeated. */
const WAITS: Partial<Record<TurnFailure, { firstMs: number; maxMs: number }>> = {
  limited: { firstMs: MINUTE_MS, maxMs: 60 * MINUTE_MS },
  'rate-limited': { firstMs: MINUTE_MS, maxMs: 30 * MINUTE_MS },
  overloaded: { firstMs: MINUTE_MS / 2, maxMs: 15 * MINUTE_MS },
  'credit-exhausted': { firstMs: 10 * MINUTE_MS, maxMs: 60 * MINUTE_MS },
  unauthorised: { firstMs: 5 * MINUTE_MS, maxMs: 60 * MINUTE_MS },
  'model-unknown': { firstMs: 10 * MINUTE_MS, maxMs: 60 * MINUTE_MS },
};

/** What to do about it, where a person can do something. */
const REMEDIES: Partial<Record<TurnFailure, string>> = {
  'credit-exhausted': 'The account behind Claude Code has no credit left; add some.',
  unauthorised:
    'Claude Code is not logged in: log in once with the program that `doctor` names, or put ANTHROPIC_API_KEY into .env.',
  'model-unknown': 'The model is unknown to this account: correct the setting `model`.',
};

/** Resets are published to the second and met by everybody: a little later is kinder. */
const AFTER_RESET_MS = 5_000;

export function holdAfter(outcome: TurnOutcome, holds: HoldBoard, random: number): void {
  if (outcome.kind === 'completed') {
    for (const reason of ['limited', 'credit-exhausted', 'agent-unauthorised', 'agent-not-ready'] as const) {
      holds.clear(reason);
    }
    return;
  }
  if (outcome.kind !== 'failed') return;
  const wait = WAITS[outcome.failure];
  if (!wait) return;
  const reason = reasonOf(outcome.failure);
  const remedy = REMEDIES[outcome.failure];
  // What the program says is meant for a person before a terminal of its own, so what helps here goes first.
  const why = remedy === undefined ? outcome.message : `${remedy} (It says: ${outcome.message})`;
  if (outcome.until !== undefined) {
    holds.place(reason, why, outcome.until + AFTER_RESET_MS * (1 + random));
  } else {
    holds.placeGrowing(reason, why, wait.firstMs, wait.maxMs);
  }
}

function reasonOf(
  failure: TurnFailure,
): 'limited' | 'credit-exhausted' | 'agent-unauthorised' | 'agent-not-ready' {
  if (failure === 'credit-exhausted') return 'credit-exhausted';
  if (failure === 'unauthorised') return 'agent-unauthorised';
  return failure === 'model-unknown' ? 'agent-not-ready' : 'limited';
}
