// What a worker says of itself in one glance.
import type { BudgetState } from './budget.js';
import { HOLD_REASONS, type Hold } from './hold.js';
import type { WakeKind } from './wake.js';

export const HEALTH_STATES = ['idle', 'working', 'stuck', 'deaf', ...HOLD_REASONS] as const;

export type Health = (typeof HEALTH_STATES)[number];

export interface Status {
  readonly health: Health;
  /** One sentence. */
  readonly why: string;
  readonly holds: readonly Hold[];
  /** Conversations at a cap of their own, until when, and why. */
  readonly resting: readonly {
    readonly conversation: string;
    readonly why: string;
    readonly until: number;
  }[];
  readonly stopping: boolean;
  readonly startedAt: number;
  readonly turn:
    | { readonly conversation: string; readonly startedAt: number; readonly lastFrameAt: number }
    | undefined;
  readonly look: {
    readonly lastAt: number | undefined;
    readonly lastSuccessAt: number | undefined;
    readonly nextAt: number | undefined;
    readonly count: number;
    readonly missedWakes: number;
    readonly lastWokenBy: readonly WakeKind[];
  };
  readonly messages: Readonly<
    Record<'waiting' | 'claimed' | 'retry' | 'answered' | 'silent' | 'dead', number>
  >;
  readonly oldestWaitingAt: number | undefined;
  readonly outbox: Readonly<Record<'queued' | 'sending' | 'sent' | 'refused' | 'unsure', number>>;
  /** The budgets of hour, day and run that are limited. */
  readonly budgets: readonly BudgetState[];
  readonly today: { readonly turns: number; readonly costUsd: number; readonly modelCalls: number };
  readonly agent: {
    readonly version: string | undefined;
    readonly pid: number | undefined;
    readonly sessionId: string | undefined;
    /** Of the session that goes on; 0 while there is none, or none of its turns was ours. */
    readonly sessionTurns: number;
    /** Tokens of its history, as far as known. */
    readonly contextTokens: number;
  };
}
