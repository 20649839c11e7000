// Watches the disk: after every change, only legal steps, by the holder of the lease, and at most one reply a claim.
import { isSettled, type MessageState, mayBecome } from '../../src/domain/message.js';
import { type OutboxState, outboxMayBecome } from '../../src/domain/outbox.js';
import type { ClaimRecord, MemoryDisk, RowRecord } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { Life } from './life.js';
import { WAIT_NOTICE_MS } from './limits.js';
import type { Setting } from './plan.js';

interface SeenClaim {
  attempts: number;
  /** The turn that said its reply, and how. */
  reply: { turn: string; how: string } | undefined;
}

export class DiskWatch {
  /** Attempts that each claim may have been charged: its failed turns, and the workers that left it open. */
  readonly chargeable = new Map<string, number>();
  readonly #disk: MemoryDisk;
  readonly #record: Chronicle;
  readonly #setting: Setting;
  readonly #messages = new Map<string, MessageState>();
  readonly #rows = new Map<number, OutboxState>();
  readonly #claims = new Map<string, SeenClaim>();
  readonly #noticed = new Set<string>();

  constructor(disk: MemoryDisk, record: Chronicle, setting: Setting) {
    this.#disk = disk;
    this.#record = record;
    this.#setting = setting;
  }

  charge(claimId: string): void {
    this.chargeable.set(claimId, (this.chargeable.get(claimId) ?? 0) + 1);
  }

  holdsLease(name: string): boolean {
    const { lease } = this.#disk;
    return lease !== undefined && lease.releasedAt === undefined && lease.row.owner === name;
  }

  changed(life: Life, call: string): void {
    const changes = this.#messageSteps() + this.#rowSteps();
    if (changes === 0) return;
    if (!this.holdsLease(life.name))
      this.#broken('late-write', `${life.name} wrote by ${call} without the lease`);
    this.#claimsAreSound();
  }

  #messageSteps(): number {
    let changes = 0;
    for (const [id, { state }] of this.#disk.messages) {
      const before = this.#messages.get(id);
      if (before === state) continue;
      changes += 1;
      const legal =
        before === undefined ? state === 'waiting' || state === 'silent' : mayBecome(before, state);
      if (!legal) this.#broken('message-state', `${id} went from ${before ?? 'nowhere'} to ${state}`);
      this.#messages.set(id, state);
    }
    if (this.#messages.size !== this.#disk.messages.size) this.#broken('message-state', 'a message vanished');
    return changes;
  }

  #rowSteps(): number {
    let changes = 0;
    for (const row of this.#disk.rows) {
      const before = this.#rows.get(row.id);
      if (before === row.state) continue;
      changes += 1;
      const legal = before === undefined ? row.state === 'queued' : outboxMayBecome(before, row.state);
      if (!legal)
        this.#broken('outbox-state', `row ${row.id} went from ${before ?? 'nowhere'} to ${row.state}`);
      this.#rows.set(row.id, row.state);
      if (before === undefined) this.#newRow(row);
    }
    return changes;
  }

  /** All replies to a claim come from one turn; its final text is one only where no tool had answered. */
  #newRow(row: RowRecord): void {
    if (row.part > 0) return;
    if (row.kind === 'notice' && row.claimId === undefined) this.#waitNotice(row);
    if (row.kind !== 'reply') return;
    const [, turn, how] = row.text.match(/\bt(\d+) (final|tool) /) ?? [];
    if (turn === undefined || how === undefined) {
      this.#broken('reply-text', `row ${row.id} holds what no turn said: ${row.text}`);
      return;
    }
    const claim = this.#claim(row.claimId ?? '');
    const { reply } = claim;
    const joins = reply !== undefined && reply.turn === turn && reply.how === 'tool' && how === 'tool';
    if (reply && !joins) {
      this.#broken(
        'two-replies',
        `claim ${row.claimId} has the ${reply.how} reply of turn ${reply.turn} and the ${how} one of turn ${turn}`,
      );
    }
    claim.reply = { turn, how };
  }

  /** Who waits long is told so, once, and not before. */
  #waitNotice(row: RowRecord): void {
    const message = this.#disk.messages.get(row.replyToId ?? '');
    const early = message === undefined || row.queuedAt < message.spooledAt + WAIT_NOTICE_MS;
    const known = this.#noticed.has(row.replyToId ?? '');
    this.#noticed.add(row.replyToId ?? '');
    if (early || known) this.#broken('wait-notice', `row ${row.id} comes ${known ? 'again' : 'too early'}`);
  }

  #claimsAreSound(): void {
    const unsettled = new Set<string>();
    let open = 0;
    for (const claim of this.#disk.claims.values()) {
      if (claim.state !== 'settled') {
        if (unsettled.has(claim.conversation)) {
          this.#broken('one-claim', `${claim.conversation} has two unsettled claims`);
        }
        unsettled.add(claim.conversation);
      }
      if (claim.state === 'open') open += 1;
      this.#attempts(claim);
    }
    const mayMany = this.#setting.delivery === 'pull' && this.#setting.pullScope === 'all';
    if (open > 1 && !mayMany) this.#broken('one-claim', `${open} claims are open in one slot`);
    for (const [id, message] of this.#disk.messages) {
      const claim = message.claimId === undefined ? undefined : this.#disk.claims.get(message.claimId);
      const fits =
        message.state === 'waiting' || (message.state === 'silent' && !claim)
          ? claim === undefined
          : claim?.state === stateFor(message.state);
      if (!fits) {
        this.#broken('message-state', `${id} is ${message.state} and its claim ${claim?.state ?? 'unknown'}`);
      }
    }
  }

  #attempts({ id: claimId, attempts, state }: ClaimRecord): void {
    const seen = this.#claim(claimId);
    if (attempts === seen.attempts) return;
    if (attempts < seen.attempts) this.#broken('attempts', `claim ${claimId} forgot an attempt`);
    if (attempts > this.#setting.maxAttempts)
      this.#broken('attempts', `claim ${claimId} had ${attempts} attempts`);
    // The end by a spent budget counts as one, too.
    const byBudget = state === 'settled' && this.#setting.budget === 'message' ? 1 : 0;
    const most = (this.chargeable.get(claimId) ?? 0) + byBudget;
    if (attempts > most) {
      this.#broken('attempts', `claim ${claimId} is charged ${attempts} attempts where ${most} failed`);
    }
    seen.attempts = attempts;
  }

  #claim(id: string): SeenClaim {
    const known = this.#claims.get(id);
    if (known) return known;
    const claim = { attempts: 0, reply: undefined };
    this.#claims.set(id, claim);
    return claim;
  }

  #broken(invariant: string, text: string): void {
    this.#record.violate(invariant, text);
  }
}

function stateFor(state: MessageState): 'open' | 'retry' | 'settled' {
  if (isSettled(state)) return 'settled';
  return state === 'retry' ? 'retry' : 'open';
}
