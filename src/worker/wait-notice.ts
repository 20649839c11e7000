// Tells senders who wait long that their message has come in: once for what waits, also over restarts.
import { splitText } from '../domain/split.js';
import { humanDuration } from '../lib/human.js';
import type { Unanswered } from '../ports/mailbox.js';
import { holdFor } from './faults.js';
import type { HoldBoard } from './hold-board.js';
import { Latch } from './latch.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

/** What comes in wakes us; this is for what falls due otherwise: re-opened by hand, or after our disk was full. */
const RECHECK_MS = 60_000;

export class WaitNotice {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #onSend: () => void;
  readonly #mail = new Latch<true>(() => 'mail');
  /** Ids of the messages whose senders have been told: the outbox knows it too, at the price of a write. */
  #told = new Set<string>();

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard, onSend: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#onSend = onSend;
  }

  /** Something has come in, and waits from now on. */
  poke(): void {
    this.#mail.set(true);
  }

  /** Runs beside the other loops, so that senders are told during a turn, too. Where it is off it may be put on. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      this.#mail.take();
      const { waitNotice } = this.#options;
      await this.#mail.wait(waitNotice ? await this.#pass(waitNotice) : Infinity, clock, signal);
    }
  }

  /** Tells whoever is to be told now. Answers when to look again, epoch ms. */
  async #pass({ afterMs, text }: { afterMs: number; text: string }): Promise<number> {
    const { mailbox, clock } = this.#parts;
    const recheckAt = clock.now() + RECHECK_MS;
    try {
      const waiting = await mailbox.unanswered();
      this.#told = new Set(waiting.map(({ id }) => id).filter((id) => this.#told.has(id)));
      const untold = waiting.filter(({ id }) => !this.#told.has(id));
      const now = clock.now();
      for (const one of untold) if (one.spooledAt + afterMs <= now) await this.#tell(one, text);
      const later = untold.map(({ spooledAt }) => spooledAt + afterMs).filter((at) => at > now);
      return Math.min(recheckAt, ...later);
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return recheckAt;
    }
  }

  async #tell({ id, conversation, to, spooledAt }: Unanswered, words: string): Promise<void> {
    const { outbox, clock, observer, upstream } = this.#parts;
    const parts = splitText(words, upstream.maxChars);
    const now = clock.now();
    const first = await outbox.notice({ name: `wait/${id}`, about: id, to, parts }, now);
    this.#told.add(id);
    if (!first) return;
    this.#onSend();
    const text = `${conversation} has waited ${humanDuration(now - spooledAt)} for an answer; it is told that its message has come in.`;
    observer.on({ type: 'notice', level: 'info', text });
  }
}
