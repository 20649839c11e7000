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

/** Every write is refused with WorkerError `lease-lost` once another generation holds the lease. */
export interface Outbox {
  /**
   * Commits a send as rows in state `queued`. The same claim, target, kind and ordinal again changes nothing and
   * answers the first rows with `repeated: true`. A new one is rejected (WorkerError `internal`) when its claim is
   * not open: a settled claim gets no further reply.
   */
  commit(send: NewSend, at: number): Promise<{ rows: OutboxRow[]; repeated: boolean }>;

  /** Sends of kind `reply` that this claim holds (rows of part 0), in any state. */
  settlingSends(claimId: string): Promise<number>;

  /**
   * The next row to send, due by `at`: per target strictly in order. A row waits while an earlier one of its target
   * is queued or sending, and while an earlier part of its own send is unsure. An unsure row of another send holds
   * nobody up: it may stay so for ever. Marks the row `sending` before it resolves.
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

  /** All rows of a claim, in order. */
  ofClaim(claimId: string): Promise<OutboxRow[]>;
}
