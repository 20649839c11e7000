// The one decision: may a turn start now, and if not, until when not?
import { blocking, type Hold, type Holds } from './hold.js';

/** All that the decision rests on, gathered by whoever asks: the built-in loop, a queue, the Stop hook. */
export interface Situation {
  readonly now: number;
  readonly holds: Holds;
  /** No new work: the worker is stopping. */
  readonly quiet: boolean;
  /** Turns started in this run. */
  readonly turns: number;
  /** Why this run may spend nothing more, if so. */
  readonly runSpent: string | undefined;
  /** The iteration cap of this run. */
  readonly maxTurns: number | 'unlimited';
}

export type Decision =
  | { readonly kind: 'go' }
  /** The run is over: leave, do not wait. */
  | { readonly kind: 'end'; readonly reason: 'quiet' | 'over-budget' | 'max-iterations' | 'done' }
  | { readonly kind: 'wait'; readonly hold: Hold };

export function decide(situation: Situation): Decision {
  if (situation.quiet) return { kind: 'end', reason: 'quiet' };
  if (situation.holds.has('done')) return { kind: 'end', reason: 'done' };
  if (situation.runSpent !== undefined) return { kind: 'end', reason: 'over-budget' };
  if (situation.maxTurns !== 'unlimited' && situation.turns >= situation.maxTurns) {
    return { kind: 'end', reason: 'max-iterations' };
  }
  const hold = blocking(situation.holds, situation.now);
  return hold ? { kind: 'wait', hold } : { kind: 'go' };
}
