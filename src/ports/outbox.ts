// The outbox: what we owe the upstream, committed before anything else can fail.
import type { OutboxRow, OutboxState, SendKind } from '../domain/outbox.js';

export interface NewSend {
  readonly claimId: string;
  readonly to: string;
  readonly kind: Extract<SendKind, 'reply' | 'interim' | 'other'>;
  /** The n-th send of this kind to this target in this attempt at the claim, from 0. */
  readonly ordinal: number;
  /** The text, already split into what the upstream takes at once; at least one. */
  readonly parts: readonly string[];
  readonly replyToId: string | undefined;
}

/** A text of our own in nobody's claim: it settles nothing. */
export interface NewNotice {
  /** Its name for ever: a second notice of one name to one target is none. */
  readonly name: string;
  /** Upstream id of the message it is about: once that has ended, there is nothing to say. */
  readonly about: string;
  readonly to: string;
  /** As in `NewSend`. */
  readonly parts: readonly string[];
}

/** Every write is refused with WorkerError `lease-lost` once another generation holds the lease. */
export interface Outbox {
  /**
   * Commits a send as rows in state `queued`. The same claim, target, kind and ordinal again changes nothing and
   * answers the first rows with `repeated: true`. A new one is rejected (WorkerError `internal`) when its claim is
   * not open: a settled claim gets no further reply.
   */
  commit(send: NewSend, at: number): Promise<{ rows: OutboxRow[]; repeated: boolean }>;

  /**
   * Commits a notice as rows in state `queued`. False, with nothing changed, when its name was used before, or the
   * message it is about has ended.
   */
  notice(notice: NewNotice, at: number): Promise<boolean>;

  /** Sends of kind `reply` that this claim holds (rows of part 0), in any state. */
  settlingSends(claimId: string): Promise<number>;

  /**
   * The next row to send, due by `at`: per target strictly in order. A row waits while an earlier one of its target
   * is queued, while any of its target is sending, and while an earlier part of its own send is unsure. An unsure row of
   * another send holds nobody up: it may stay so for ever. Marks the row `sending` before it resolves.
   */
  next(at: number): Promise<OutboxRow | undefined>;

  /**
   * Ends a `sending` row's try, or what is known of an `unsure` one. `queued` needs `retryAt`. A refused part takes
   * the later parts of its send along. Rejects (WorkerError `internal`) what the transition table forbids.
   */
  record(
    rowId: number,
    result: {
      state: OutboxState;
      upstreamId?: string | undefined;
      error?: string | undefined;
      retryAt?: number | undefined;
    },
    at: number,
  ): Promise<void>;

  /** After a crash: what was `sending` becomes `state`; that try counts. Answers how many rows. */
  recover(state: 'queued' | 'unsure'): Promise<number>;

  /** When the next queued row that waits for no other falls due, epoch ms (now or earlier: it is due). */
  nextDueAt(): Promise<number | undefined>;

  counts(): Promise<Readonly<Record<OutboxState, number>>>;

  /**
   * By hand: an unsure row is sent again (`queued`, due now) or given up (`refused`, `dropped by hand`, the later
   * parts of its send with it). Rejects with WorkerError `usage` when the row is unknown or not unsure.
   */
  settleUnsure(rowId: number, how: 'resend' | 'drop', at: number): Promise<void>;

  /** Rows in any of these states, the last committed first. */
  list(query: { states: readonly OutboxState[]; limit: number }): Promise<OutboxRow[]>;

  /** All rows of a claim, in order. */
  ofClaim(claimId: string): Promise<OutboxRow[]>;
}
