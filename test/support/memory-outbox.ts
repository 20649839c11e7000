// The outbox's twin in memory: one list in the order of commitment.
import { DROPPED_BY_HAND, isSettled } from '../../src/domain/message.js';
import {
  idempotencyKey,
  type OutboxRow,
  type OutboxState,
  outboxMayBecome,
} from '../../src/domain/outbox.js';
import type { NewNotice, NewSend, Outbox } from '../../src/ports/outbox.js';
import { bug, type MemoryDisk, type MemoryFence, type RowRecord, refused } from './memory-disk.js';

/** Adds the parts of a send whose number is free. */
export function addRows(
  disk: MemoryDisk,
  send: Pick<OutboxRow, 'to' | 'kind' | 'ordinal' | 'replyToId'> & {
    claimId: string;
    parts: readonly string[];
  },
  at: number,
): RowRecord[] {
  if (send.parts.length === 0) bug('A send has no text.');
  const first = (disk.rows.at(-1)?.id ?? 0) + 1;
  const rows = send.parts.map(
    (text, part): RowRecord => ({
      id: first + part,
      sendId: first,
      claimId: send.claimId,
      idempotencyKey: idempotencyKey({ ...send, part }),
      to: send.to,
      text,
      kind: send.kind,
      ordinal: send.ordinal,
      part,
      state: 'queued',
      replyToId: send.replyToId,
      upstreamId: undefined,
      queuedAt: at,
      sentAt: undefined,
      attempts: 0,
      retryAt: undefined,
      lastError: undefined,
    }),
  );
  disk.rows.push(...rows);
  return rows;
}

export class MemoryOutbox implements Outbox {
  readonly #disk: MemoryDisk;
  readonly #fence: MemoryFence;

  constructor(disk: MemoryDisk, fence: MemoryFence) {
    this.#disk = disk;
    this.#fence = fence;
  }

  commit(send: NewSend, at: number): Promise<{ rows: OutboxRow[]; repeated: boolean }> {
    return this.#fence.write(() => {
      const { claimId, to, kind, ordinal } = send;
      const first = this.#disk.rows.filter(
        (row) => row.claimId === claimId && row.to === to && row.kind === kind && row.ordinal === ordinal,
      );
      if (first.length > 0) return { rows: first.map(shown), repeated: true };
      if (this.#disk.claims.get(claimId)?.state !== 'open') bug(`Claim ${claimId} is not open.`);
      return { rows: addRows(this.#disk, send, at).map(shown), repeated: false };
    });
  }

  notice({ name, about, ...notice }: NewNotice, at: number): Promise<boolean> {
    return this.#fence.write(() => {
      const message = this.#disk.messages.get(about);
      if (!message || isSettled(message.state)) return false;
      const key = idempotencyKey({ claimId: name, to: notice.to, kind: 'notice', ordinal: 0, part: 0 });
      if (this.#disk.rows.some((row) => row.idempotencyKey === key)) return false;
      for (const row of addRows(
        this.#disk,
        { ...notice, claimId: name, kind: 'notice', ordinal: 0, replyToId: about },
        at,
      )) {
        row.claimId = undefined;
      }
      return true;
    });
  }

  settlingSends(claimId: string): Promise<number> {
    return this.#fence.read(
      () =>
        this.#disk.rows.filter((row) => row.claimId === claimId && row.kind === 'reply' && row.part === 0)
          .length,
    );
  }

  next(at: number): Promise<OutboxRow | undefined> {
    return this.#fence.write(() => {
      const row = this.#heads().find((head) => head.retryAt === undefined || head.retryAt <= at);
      if (!row) return undefined;
      row.state = 'sending';
      return shown(row);
    });
  }

  record(rowId: number, result: Parameters<Outbox['record']>[1], at: number): Promise<void> {
    return this.#fence.write(() => this.#record(rowId, result, at));
  }

  settleUnsure(rowId: number, how: 'resend' | 'drop', at: number): Promise<void> {
    return this.#fence.write(() => {
      const row = this.#disk.rows.find((one) => one.id === rowId);
      if (row?.state !== 'unsure') refused(`Row ${rowId} is not unsure.`);
      if (how === 'resend') this.#record(rowId, { state: 'queued', retryAt: at }, at);
      else this.#record(rowId, { state: 'refused', error: DROPPED_BY_HAND }, at);
    });
  }

  list({ states, limit }: { states: readonly OutboxState[]; limit: number }): Promise<OutboxRow[]> {
    return this.#fence.read(() =>
      this.#disk.rows
        .filter((row) => states.includes(row.state))
        .reverse()
        .slice(0, limit)
        .map(shown),
    );
  }

  #record(rowId: number, result: Parameters<Outbox['record']>[1], at: number): void {
    const row = this.#disk.rows.find((one) => one.id === rowId) ?? bug(`There is no row ${rowId}.`);
    const { state } = result;
    if (row.state === 'queued' || !outboxMayBecome(row.state, state)) bug(`${row.state} to ${state}`);
    if (state === 'queued' && result.retryAt === undefined) bug('A row to be tried again needs a time.');
    if (row.state === 'sending') row.attempts += 1;
    row.state = state;
    row.upstreamId = result.upstreamId;
    row.sentAt = state === 'sent' ? at : undefined;
    row.retryAt = state === 'queued' ? result.retryAt : undefined;
    row.lastError = result.error;
    if (state !== 'refused') return;
    for (const later of this.#disk.rows) {
      if (later.sendId !== row.sendId || later.id <= row.id || later.state !== 'queued') continue;
      later.state = 'refused';
      later.retryAt = undefined;
      later.lastError = 'an earlier part of it was refused';
    }
  }

  recover(state: 'queued' | 'unsure'): Promise<number> {
    return this.#fence.write(() => {
      const rows = this.#disk.rows.filter((row) => row.state === 'sending');
      for (const row of rows) {
        row.state = state;
        row.retryAt = undefined;
        row.attempts += 1;
      }
      return rows.length;
    });
  }

  nextDueAt(): Promise<number | undefined> {
    return this.#fence.read(() => {
      const times = this.#heads().map((row) => row.retryAt ?? row.queuedAt);
      return times.length === 0 ? undefined : Math.min(...times);
    });
  }

  counts(): Promise<Readonly<Record<OutboxState, number>>> {
    return this.#fence.read(() => {
      const counts = { queued: 0, sending: 0, sent: 0, refused: 0, unsure: 0 };
      for (const row of this.#disk.rows) counts[row.state] += 1;
      return counts;
    });
  }

  ofClaim(claimId: string): Promise<OutboxRow[]> {
    return this.#fence.read(() => this.#disk.rows.filter((row) => row.claimId === claimId).map(shown));
  }

  /** Queued rows that wait for no other, oldest first. */
  #heads(): RowRecord[] {
    const busy = new Set(this.#disk.rows.filter((row) => row.state === 'sending').map((row) => row.to));
    const doubted = new Set<number>();
    const heads: RowRecord[] = [];
    for (const row of this.#disk.rows) {
      if (row.state === 'unsure') doubted.add(row.sendId);
      if (row.state === 'queued' && !busy.has(row.to) && !doubted.has(row.sendId)) heads.push(row);
      if (row.state === 'queued') busy.add(row.to);
    }
    return heads;
  }
}

function shown(record: RowRecord): OutboxRow {
  const { sendId: _, ...row } = record;
  return row;
}
