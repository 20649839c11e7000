// The outbox sender: hands what is committed to the upstream, in order, until it is taken or refused.
import type { OutboxRow, OutboxState } from '../domain/outbox.js';
import { retryDelayMs } from '../domain/retry.js';
import type { SendOutcome } from '../ports/upstream.js';
import { holdFor } from './faults.js';
import type { HoldBoard } from './hold-board.js';
import { Latch } from './latch.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

const SEND_RETRY = { baseMs: 2_000, maxMs: 5 * 60_000 };
const IDLE_MS = 60_000;
const RECORD_RETRY_MS = 2_000;

interface SendResult {
  readonly state: Exclude<OutboxState, 'sending'>;
  readonly upstreamId?: string | undefined;
  readonly error?: string | undefined;
  readonly retryAt?: number | undefined;
}

interface Told {
  readonly row: OutboxRow;
  readonly result: SendResult;
  /** How long the upstream took to say so. */
  readonly durationMs: number;
}

export class Sender {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #work = new Latch<true>(() => 'work');
  #recovered = false;
  #reached = false;
  /** What the upstream has said of a row, while the disk could not take it: told there before anything else is sent. */
  #unrecorded: Told | undefined;

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
  }

  /** There is something to send. */
  poke(): void {
    this.#work.set(true);
  }

  async run(signal: AbortSignal, force: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      this.#work.take();
      await this.flush(force);
      await this.#work.wait(await this.#nextAt(), clock, signal);
    }
  }

  /** Sends all that is due now. A row that must wait is left for later. */
  async flush(signal: AbortSignal): Promise<void> {
    try {
      if (!this.#recovered) this.#recovered = await this.#recover();
      while (this.#recovered) {
        await this.#recordLate();
        if (signal.aborted || this.#isKeyRefused()) return;
        const row = await this.#parts.outbox.next(this.#parts.clock.now());
        if (!row) return;
        await this.#send(row, signal);
      }
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
    }
  }

  /** A key that was refused is tried by the next look, not by every message that waits. */
  #isKeyRefused(): boolean {
    return this.#holds.current.has('inbox-unauthorised');
  }

  /**
   * What a dead worker was sending: with idempotency keys the same send again is harmless; without, nobody can
   * tell whether it arrived. Which of the two holds is known only once the upstream has answered.
   */
  async #recover(): Promise<boolean> {
    const { upstream, outbox, observer } = this.#parts;
    const { sending } = await outbox.counts();
    if (sending === 0) return true;
    if (!this.#reached) return false;
    const resend = upstream.idempotent || this.#options.onUnsure === 'resend';
    const count = await outbox.recover(resend ? 'queued' : 'unsure');
    if (count > 0 && !resend) {
      const text = `${count} message(s) may or may not have been sent when the last worker ended; they are held as unsure.`;
      observer.on({ type: 'notice', level: 'warn', text });
    }
    return true;
  }

  /** A look has reached the inbox: from now on it is known whether it takes idempotency keys. */
  reached(): void {
    if (this.#reached) return;
    this.#reached = true;
    this.poke();
  }

  async #nextAt(): Promise<number> {
    const now = this.#parts.clock.now();
    if (!this.#recovered || this.#isKeyRefused()) return now + IDLE_MS;
    if (this.#unrecorded) return now + RECORD_RETRY_MS;
    try {
      const due = await this.#parts.outbox.nextDueAt();
      // A due row that `next` did not give waits for an earlier one; looking again at once would spin.
      return due === undefined ? now + IDLE_MS : Math.max(due, now + 1_000);
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return now + IDLE_MS;
    }
  }

  async #send(row: OutboxRow, signal: AbortSignal): Promise<void> {
    const { upstream, clock } = this.#parts;
    const beganAt = clock.now();
    const outcome = await upstream.send(
      { to: row.to, text: row.text, replyToId: row.replyToId, idempotencyKey: row.idempotencyKey },
      signal,
    );
    const result = this.#resultOf(outcome, row);
    this.#unrecorded = { row, result, durationMs: clock.now() - beganAt };
    await this.#recordLate();
  }

  async #recordLate(): Promise<void> {
    const { outbox, clock, observer, onWords } = this.#parts;
    if (!this.#unrecorded) return;
    const { row, result, durationMs } = this.#unrecorded;
    await outbox.record(row.id, result, clock.now());
    this.#unrecorded = undefined;
    const { claimId, to, kind, part, queuedAt } = row;
    const facts = { claimId, to, kind, part, queuedAt, durationMs };
    const { state, upstreamId, error: text = '' } = result;
    if (state === 'sent') {
      observer.on({ type: 'sent', ...facts, upstreamId });
      onWords?.({ direction: 'out', who: to, conversation: to, id: upstreamId, text: row.text });
    } else observer.on({ type: 'send-failed', ...facts, state, text });
  }

  #resultOf(outcome: SendOutcome, row: OutboxRow): SendResult {
    const { clock, random, upstream } = this.#parts;
    const now = clock.now();
    const retryAt = now + retryDelayMs(row.attempts + 1, SEND_RETRY, random.next());
    switch (outcome.kind) {
      case 'sent':
        return { state: 'sent', upstreamId: outcome.upstreamId };
      case 'refused':
        return { state: 'refused', error: outcome.message };
      case 'later':
        return { state: 'queued', error: outcome.message, retryAt: Math.max(retryAt, outcome.until ?? 0) };
      case 'unauthorised':
        this.#holds.place('inbox-unauthorised', outcome.message);
        return { state: 'queued', error: outcome.message, retryAt: now + IDLE_MS };
      case 'unsure':
        return upstream.idempotent || this.#options.onUnsure === 'resend'
          ? { state: 'queued', error: outcome.message, retryAt }
          : { state: 'unsure', error: outcome.message };
    }
  }
}
