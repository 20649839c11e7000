// How a run ended: its exit code, and one sentence.
import { EXIT, type WorkerError } from '../domain/errors.js';
import type { Hold } from '../domain/hold.js';

export interface RunEnd {
  readonly exitCode: number;
  readonly text: string;
  readonly error?: WorkerError;
}

/** What a hold means to `--once`, which does not wait: nobody could be answered, and why. */
export function endOfHold(hold: Hold): RunEnd {
  return { exitCode: exitCodeOf(hold.reason), text: hold.why };
}

function exitCodeOf(reason: Hold['reason']): number {
  switch (reason) {
    case 'over-budget':
    case 'max-iterations':
      return EXIT.overBudget;
    case 'lease-lost':
      return EXIT.leaseHeld;
    case 'disk-full':
      return EXIT.internal;
    case 'inbox-down':
    case 'inbox-unauthorised':
      return EXIT.inboxUnusable;
    case 'paused':
    case 'done':
      return EXIT.done;
    case 'limited':
    case 'credit-exhausted':
    case 'agent-unauthorised':
    case 'agent-not-ready':
      return EXIT.agentUnusable;
  }
}
