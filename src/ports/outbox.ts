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
   * answers the first rows with `repeated: true`.
   */
  commit(send: NewSend, at: number): Promise<{ rows: OutboxRow[]; repeated: boolean }>;

  /** Sends of kind `reply` that this claim holds (rows of part 0), in any state. */
  settlingSends(claimId: string): Promise<number>;

  /**
   * The next row to send: per target strictly in order (a row waits while an earlier one of its target is queued,
   * sending or unsure), due by `at`. Marks it `sending` before it resolves.
   */
  next(at: number): Promise<OutboxRow | undefined>;

  /** Ends a `sending` row's try. `queued` needs `retryAt`. A refused part takes the later parts of its send along. */
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

  /** After a crash: what was `sending` becomes `state`. Answers how many. */
  recover(state: 'queued' | 'unsure'): Promise<number>;

  /** When the next queued row falls due, epoch ms. */
  nextDueAt(): Promise<number | undefined>;

  counts(): Promise<Readonly<Record<OutboxState, number>>>;

  /** All rows of a claim, in order. */
  ofClaim(claimId: string): Promise<OutboxRow[]>;
}
