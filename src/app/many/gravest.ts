// The exit code of a process whose agents ended in different ways.
import { EXIT } from '../../domain/errors.js';

/** First what is a fault, then what somebody must repair, then what goes on elsewhere, last what was wanted so. */
const GRAVEST_FIRST: readonly number[] = [
  EXIT.internal,
  EXIT.usage,
  EXIT.agentUnusable,
  EXIT.inboxUnusable,
  EXIT.leaseHeld,
  EXIT.overBudget,
  EXIT.done,
];

export function gravest(exitCodes: readonly number[]): number {
  const known = GRAVEST_FIRST.find((code) => exitCodes.includes(code));
  return known ?? EXIT.done;
}
