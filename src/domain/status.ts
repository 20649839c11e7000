// What a worker says of itself in one glance.
import type { BudgetState } from './budget.js';
import { HOLD_REASONS, type Hold } from './hold.js';
import type { WakeKind } from './wake.js';

export const HEALTH_STATES = ['idle', 'working', 'stuck', 'deaf', ...HOLD_REASONS] as const;

export type Health = (typeof HEALTH_STATES)[number];

/** What the store tells, whether its worker runs or not. */
export interface StoreReport {
  readonly messages: Readonly<
    Record<'waiting' | 'claimed' | 'retry' | 'answered' | 'silent' | 'dead', number>
  >;
  readonly oldestWaitingAt: number | undefined;
  readonly outbox: Readonly<Record<'queued' | 'sending' | 'sent' | 'refused' | 'unsure', number>>;
  /** Since midnight UTC, as budgets count. */
  readonly today: DayReport;
}

export interface DayReport {
  readonly since: number;
  readonly turns: number;
  readonly costUsd: number;
  /** Input and output together. */
  readonly tokens: number;
  readonly modelCalls: number;
  readonly messages: MessageTally;
}

/** What came in, and what ended how. */
export interface MessageTally {
  readonly in: number;
  readonly answered: number;
  readonly silent: number;
  readonly dead: number;
}

/** One source of wakes. */
export interface WakeReport {
  readonly name: string;
  /** Proven to be connected right now. */
  readonly connected: boolean;
  /** Meant to announce mail: mail found without it is a missed wake. */
  readonly announces: boolean;
  /** When it woke last in this run. */
  readonly lastAt: number | undefined;
  /** Where it listens, or what it is connected to; no secret in it. */
  readonly address: string | undefined;
  /** Since when it is connected. */
  readonly since: number | undefined;
}

/** The conversation with the model that the next turn may go on in. */
export interface SessionReport {
  readonly id: string;
  readonly conversation: string | undefined;
  /** Turns in it. */
  readonly turns: number;
  /** When it began. */
  readonly startedAt: number;
  /** Tokens of its history, 0 while unknown. */
  readonly contextTokens: number;
}

export interface Status extends StoreReport {
  readonly health: Health;
  /** One sentence. */
  readonly why: string;
  /** When that changes by itself, epoch ms, where it is known. */
  readonly until: number | undefined;
  /** Of this program. */
  readonly version: string;
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
  /** The budgets of hour, day and run that are limited. */
  readonly budgets: readonly BudgetState[];
  readonly wakes: readonly WakeReport[];
  readonly session: SessionReport | undefined;
  readonly agent: {
    readonly version: string | undefined;
    readonly pid: number | undefined;
    readonly sessionId: string | undefined;
  };
}

/** How the last worker of an inbox ended, as far as it can be told. */
export interface EndReport {
  /**
   * `stopped`: it gave its lease back. `gone`: killed or crashed on this machine. `silent`: elsewhere, and not heard of
   * for long. `elsewhere`: somebody out of our sight answers the inbox. `never`: none has run. `unknown`: the store
   * cannot be read, and `why` says how.
   */
  readonly ended: 'stopped' | 'gone' | 'silent' | 'elsewhere' | 'never' | 'unknown';
  /** One sentence. */
  readonly why: string;
  /** When it ended, or was last heard of, epoch ms. */
  readonly lastSeenAt: number | undefined;
  readonly holder: { readonly host: string; readonly pid: number; readonly folder: string } | undefined;
}

/** What is known of an agent whose worker does not run; what the store tells is left out where it cannot be read. */
export interface StoppedStatus extends EndReport, Partial<StoreReport> {
  readonly running: false;
  readonly health: 'stopped';
  /** Of this program. */
  readonly version: string;
  /** It would start, and start no turn. */
  readonly paused: boolean;
  /** Those of hour and day that are limited. */
  readonly budgets?: readonly BudgetState[];
  readonly session?: SessionReport | undefined;
  readonly lastTurn?:
    | {
        readonly conversation: string;
        readonly startedAt: number;
        /** Undefined where a crash took it. */
        readonly endedAt: number | undefined;
        readonly verdict: string | undefined;
      }
    | undefined;
}
