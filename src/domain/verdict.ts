// Settle: what a turn made of its claim, read from mailbox and outbox, not from the agent's word.
import { type RetryLimits, retryDelayMs } from './retry.js';
import type { TurnOutcome } from './turn.js';
import { describeOutcome } from './turn.js';

export type Delivery = 'inline' | 'pull';

export interface Evidence {
  readonly delivery: Delivery;
  readonly outcome: TurnOutcome;
  /** Sends to the claimed conversation that the outbox already holds (interim ones not counted). */
  readonly settlingSends: number;
  readonly noReplyCalled: boolean;
  /** Attempts that had counted before this turn. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly retry: RetryLimits;
  /** In [0, 1). */
  readonly random: number;
}

export type Verdict =
  /** `reply` is the final text to send; undefined when a send already answered. */
  | { readonly kind: 'answered'; readonly reply: string | undefined }
  | { readonly kind: 'silent' }
  | {
      readonly kind: 'retry';
      readonly delayMs: number;
      readonly error: string;
      readonly countsAttempt: boolean;
    }
  | { readonly kind: 'dead'; readonly error: string };

export const SILENCE = 'NO_REPLY';

export function judge(evidence: Evidence): Verdict {
  const { outcome } = evidence;
  // A message with a reply in the outbox is answered, whatever happened after.
  if (evidence.settlingSends > 0) return { kind: 'answered', reply: undefined };
  if (outcome.kind === 'interrupted') {
    return { kind: 'retry', delayMs: 0, error: describeOutcome(outcome), countsAttempt: false };
  }
  if (outcome.kind !== 'completed') return again(evidence, describeOutcome(outcome), waitsForFree(outcome));
  if (evidence.noReplyCalled) return { kind: 'silent' };
  const text = outcome.text.trim();
  if (evidence.delivery === 'inline' && text === SILENCE) return { kind: 'silent' };
  if (evidence.delivery === 'inline' && text !== '') return { kind: 'answered', reply: text };
  return again(evidence, 'the turn ended with neither a reply nor a silence', false);
}

/** Failures that say nothing about the message: the hold they cause is the wait, and the attempt is kept. */
function waitsForFree(outcome: TurnOutcome): boolean {
  return (
    outcome.kind === 'failed' &&
    ['limited', 'rate-limited', 'overloaded', 'credit-exhausted', 'unauthorised', 'model-unknown'].includes(
      outcome.failure,
    )
  );
}

function again(evidence: Evidence, error: string, free: boolean): Verdict {
  if (free) return { kind: 'retry', delayMs: 0, error, countsAttempt: false };
  const failures = evidence.attempts + 1;
  if (failures >= evidence.maxAttempts) return { kind: 'dead', error };
  return {
    kind: 'retry',
    delayMs: retryDelayMs(failures, evidence.retry, evidence.random),
    error,
    countsAttempt: true,
  };
}
