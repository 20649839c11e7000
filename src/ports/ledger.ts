// The ledger: what every turn did and cost.
import type { Spend } from '../domain/budget.js';
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

export interface SpendQuery {
  /** Epoch ms; 0 for all time. */
  readonly since: number;
  readonly conversation?: string | undefined;
  readonly sender?: string | undefined;
  readonly claimId?: string | undefined;
}

export interface Ledger {
  begin(turn: TurnRecord): Promise<void>;
  end(turnId: string, result: TurnResult): Promise<void>;
  /** Totals of the turns that started at or after `since`. */
  totals(since: number): Promise<LedgerTotals>;
  /** The last turns, newest first. */
  recent(limit: number): Promise<(TurnRecord & Partial<TurnResult>)[]>;
  /** The turns of a claim, oldest first. */
  ofClaim(claimId: string): Promise<(TurnRecord & Partial<TurnResult>)[]>;
  /**
   * What the turns that started at or after `since` have cost; a turn that runs has cost nothing yet. Narrowed, where
   * named, to a conversation, to claims that hold a message of a sender (as spelt by the upstream), to a claim.
   */
  spent(query: SpendQuery): Promise<Spend>;
  /** When the turns of a conversation with verdict `answered` or `silent` ended, those that ended at or after `since`, oldest first. */
  turnEnds(conversation: string, since: number): Promise<number[]>;
}
