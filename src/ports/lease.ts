// The lease: one worker per inbox, across folders and machines.
import type { LeaseRow } from '../domain/lease.js';

export type LeaseOutcome =
  | {
      readonly kind: 'acquired';
      readonly generation: number;
      readonly how: 'free' | 'dead-owner' | 'stale' | 'ours';
    }
  | { readonly kind: 'held'; readonly by: LeaseRow };

export interface LastHolder {
  readonly row: LeaseRow;
  /** When it was given back, epoch ms; undefined while it is held, or was left behind. */
  readonly releasedAt: number | undefined;
}

export interface Lease {
  /** Tries once to take the lease and, if taken, keeps it by a heartbeat of its own timer. */
  acquire(): Promise<LeaseOutcome>;
  /** Resolves when the lease was lost to another; never while it is ours or after `release`. */
  readonly lost: Promise<LeaseRow | undefined>;
  /** Ends the heartbeat and gives the lease back if it is ours. Never rejects. */
  release(): Promise<void>;
  /**
   * Takes the lease away from `owner`, if that still holds it: its next write is refused. For a person who knows that
   * owner to be gone where nobody here can see it. Answers whether it was so.
   */
  evict(owner: string): Promise<boolean>;
  /** Who holds it now. */
  show(): Promise<LeaseRow | undefined>;
  /** Who held it last, also after it was given back; undefined where nobody ever did. */
  last(): Promise<LastHolder | undefined>;
}
