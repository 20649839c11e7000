// What the store's twins in memory share: the records, the fence, the word for a bug.
import type { EarlierAttempt } from '../../src/domain/claim.js';
import { WorkerError } from '../../src/domain/errors.js';
import type { LeaseRow } from '../../src/domain/lease.js';
import type { IncomingMessage, MessageState } from '../../src/domain/message.js';
import type { OutboxRow } from '../../src/domain/outbox.js';
import type { TurnRecord, TurnResult } from '../../src/ports/ledger.js';
import type { LifeStep } from '../../src/ports/mailbox.js';
import type { SlotMemory } from '../../src/ports/slots.js';

/** What outlives a store, as a file does: hand the same one to the next store after a crash. */
export class MemoryDisk {
  readonly messages = new Map<string, MessageRecord>();
  readonly claims = new Map<string, ClaimRecord>();
  readonly rows: RowRecord[] = [];
  readonly turns = new Map<string, { begun: TurnRecord; result: TurnResult | undefined }>();
  readonly slots = new Map<number, SlotMemory>();
  readonly deliveries = new Set<string>();
  lease: { row: LeaseRow; releasedAt: number | undefined } | undefined;
}

export interface MessageRecord {
  readonly incoming: IncomingMessage;
  readonly spooledAt: number;
  state: MessageState;
  claimId: string | undefined;
  settledAt: number | undefined;
  /** A person dropped it. */
  dropped: boolean;
}

export interface ClaimRecord {
  readonly id: string;
  /** Place among all claims by first opening. */
  readonly seq: number;
  readonly conversation: string;
  readonly openedAt: number;
  readonly steps: LifeStep[];
  state: 'open' | 'retry' | 'settled';
  attempts: number;
  retryAt: number | undefined;
  lastError: string | undefined;
  sessionId: string | undefined;
  before: EarlierAttempt | undefined;
  /** Re-opened by hand then, and waiting, `settled` still, for another claim of its conversation to end. */
  reopenedAt: number | undefined;
}

export type RowRecord = { -readonly [Field in keyof OutboxRow]: OutboxRow[Field] } & {
  readonly sendId: number;
};

/** Reads for everybody, writes for the holder of the lease. */
export interface MemoryFence {
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T): Promise<T>;
}

export function refused(message: string): never {
  throw new WorkerError('usage', message);
}

export function bug(message: string): never {
  throw new WorkerError('internal', message);
}
