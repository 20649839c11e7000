// The ledger: what every turn did and cost.
import type { Usage } from '../domain/turn.js';

export interface TurnRecord {
  /** The turn's uuid on the wire. */
  readonly id: string;
  readonly claimId: string;
  readonly conversation: string;
  readonly slot: number;
  readonly sessionId: string | undefined;
  readonly startedAt: number;
  readonly promptBytes: number;
}

export interface TurnResult {
  readonly endedAt: number;
  readonly sessionId: string | undefined;
  /** answered, silent, retry or dead. */
  readonly verdict: string;
  /** How the turn ended, in one sentence. */
  readonly outcome: string;
  readonly usage: Usage;
}

export interface LedgerTotals extends Usage {
  readonly turns: number;
}

export interface Ledger {
  begin(turn: TurnRecord): Promise<void>;
  end(turnId: string, result: TurnResult): Promise<void>;
  /** Totals of the turns that started at or after `since`. */
  totals(since: number): Promise<LedgerTotals>;
  /** The last turns, newest first. */
  recent(limit: number): Promise<(TurnRecord & Partial<TurnResult>)[]>;
}
