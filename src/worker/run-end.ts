// How a run ended: its exit code, and one sentence.
import { type ErrorCode, EXIT, WorkerError } from '../domain/errors.js';
import type { Hold } from '../domain/hold.js';
import type { LookOutcome } from '../ports/upstream.js';
import { messageOf } from './faults.js';

export interface RunEnd {
  readonly exitCode: number;
  readonly text: string;
  readonly error?: WorkerError;
}

const LOST = 'Another worker has taken this inbox over.';
export const LEASE_LOST: RunEnd = {
  exitCode: EXIT.leaseHeld,
  text: LOST,
  error: new WorkerError('lease-lost', LOST),
};

/** Something nobody foresaw, or an error that names itself. */
export function endOfCrash(cause: unknown): RunEnd {
  const error =
    cause instanceof WorkerError ? cause : new WorkerError('internal', messageOf(cause), { cause });
  return { exitCode: error.exitCode, text: error.message, error };
}

/** What a failed look means to `--once`, for which there is no later one. */
export function endOfLook(outcome: Exclude<LookOutcome, { kind: 'looked' }>): RunEnd {
  const code = {
    down: 'inbox-down',
    'rate-limited': 'inbox-down',
    unauthorised: 'inbox-unauthorised',
    unrecognised: 'inbox-unrecognised',
  } as const;
  const text = `The inbox could not be read: ${outcome.message}`;
  const error = new WorkerError(code[outcome.kind], text);
  return { exitCode: error.exitCode, text, error };
}

/** What a hold means to `--once`, which does not wait: nobody could be answered, and why. */
export function endOfHold({ reason, why }: Hold): RunEnd {
  const code = CODES[reason];
  if (code === undefined) return { exitCode: EXIT.done, text: why };
  const error = new WorkerError(code, `Messages wait and are kept: ${why}`);
  return { exitCode: error.exitCode, text: error.message, error };
}

const CODES: Record<Hold['reason'], ErrorCode | undefined> = {
  'over-budget': 'over-budget',
  'max-iterations': 'over-budget',
  'lease-lost': 'lease-lost',
  'disk-full': 'store-unusable',
  'store-down': 'store-unreachable',
  'inbox-down': 'inbox-down',
  'inbox-unauthorised': 'inbox-unauthorised',
  limited: 'claude-failed',
  'credit-exhausted': 'claude-failed',
  'agent-unauthorised': 'claude-unauthorised',
  'agent-not-ready': 'claude-failed',
  // Somebody wanted it so.
  paused: undefined,
  done: undefined,
};
