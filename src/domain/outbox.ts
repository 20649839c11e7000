// An outgoing message, and the states of its delivery.

/** What a send is to its claim. Only `reply` can settle one. */
export type SendKind = 'reply' | 'interim' | 'other' | 'notice';

/**
 * queued → sending → sent | refused | unsure. `unsure`: we died between asking and hearing, and the upstream
 * has no idempotency key, so nobody can tell whether it arrived.
 */
export type OutboxState = 'queued' | 'sending' | 'sent' | 'refused' | 'unsure';

const NEXT: Record<OutboxState, readonly OutboxState[]> = {
  queued: ['sending', 'refused'],
  sending: ['sent', 'refused', 'queued', 'unsure'],
  sent: [],
  refused: [],
  unsure: ['queued', 'sent', 'refused'],
};

export function outboxMayBecome(from: OutboxState, to: OutboxState): boolean {
  return NEXT[from].includes(to);
}

/** One part of one send: what is handed to the upstream in one call. */
export interface OutboxRow {
  readonly id: number;
  /** Undefined for a notice that belongs to no claim. */
  readonly claimId: string | undefined;
  /** claim, target, kind, ordinal and part in one string: the same send after a crash has the same key. */
  readonly idempotencyKey: string;
  readonly to: string;
  readonly text: string;
  readonly kind: SendKind;
  /** The n-th send of its kind to its target within the claim, from 0. */
  readonly ordinal: number;
  /** The n-th piece of a text that was longer than the upstream takes, from 0. */
  readonly part: number;
  readonly state: OutboxState;
  /** Upstream id of the message this answers, where the upstream links them. */
  readonly replyToId: string | undefined;
  readonly upstreamId: string | undefined;
  readonly queuedAt: number;
  readonly sentAt: number | undefined;
  readonly attempts: number;
  readonly retryAt: number | undefined;
  readonly lastError: string | undefined;
}

/** Shape: `<claim>/<target>/<kind>/<ordinal>/<part>`; a notice in nobody's claim has its own name in place of one. */
export function idempotencyKey(
  row: Pick<OutboxRow, 'to' | 'kind' | 'ordinal' | 'part'> & { claimId: string },
): string {
  return [row.claimId, row.to, row.kind, row.ordinal, row.part].join('/');
}
