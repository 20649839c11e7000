// Intake: what a look hands over goes to disk first, and what the disk refused is kept until it takes it.
import { admits, sameName } from '../domain/addressing.js';
import { isChannel, isForUs } from '../domain/channel.js';
import type { IncomingMessage } from '../domain/message.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

export interface Tally {
  fresh: number;
  known: number;
}

export class Intake {
  readonly #parts: Pick<WorkerParts, 'mailbox' | 'clock' | 'upstream' | 'observer'>;
  readonly #options: Pick<WorkerOptions, 'admission' | 'channels'>;
  /**
   * Batches that could not be committed, oldest first. A draining inbox has forgotten them: they exist only here
   * until the disk takes them, so nothing more may be asked for before.
   */
  #refused: (readonly IncomingMessage[])[] = [];
  #warnedOfName = false;

  constructor(
    parts: Pick<WorkerParts, 'mailbox' | 'clock' | 'upstream' | 'observer'>,
    options: Pick<WorkerOptions, 'admission' | 'channels'>,
  ) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Commits what an earlier look could not. Rejects as long as the disk refuses; then nothing may be looked for. */
  async catchUp(tally: Tally): Promise<void> {
    for (let batch = this.#refused[0]; batch; batch = this.#refused[0]) {
      await this.#commit(batch, tally);
      this.#refused.shift();
    }
  }

  /** Commits a batch. Rejects when it is not on disk; it is kept for `catchUp` then. */
  async spool(batch: readonly IncomingMessage[], tally: Tally): Promise<void> {
    try {
      await this.#commit(batch, tally);
    } catch (error) {
      this.#refused.push(batch);
      throw error;
    }
  }

  async #commit(batch: readonly IncomingMessage[], tally: Tally): Promise<void> {
    const silent = batch.filter((message) => !this.#isToBeAnswered(message));
    const { mailbox, clock } = this.#parts;
    const result = await mailbox.spool(batch, clock.now(), new Set(silent.map((message) => message.id)));
    tally.fresh += result.fresh;
    tally.known += result.known;
  }

  /** The others are recorded and stay silent: system messages, our own, strangers', channels that do not mean us. */
  #isToBeAnswered(message: IncomingMessage): boolean {
    const { admission, channels } = this.#options;
    const { ownName } = this.#parts.upstream;
    if (message.kind === 'system') return false;
    if (ownName !== undefined && sameName(message.sender, ownName)) return false;
    if (isChannel(message.conversation) && ownName === undefined) this.#warnOfName(message.conversation);
    return isForUs(message, channels, ownName) && admits(admission, message.sender);
  }

  /** Without our name no mention can be found, and nothing would show why the channel stays silent. */
  #warnOfName(channel: string): void {
    if (this.#warnedOfName || this.#options.channels !== 'mention') return;
    this.#warnedOfName = true;
    const text = `A message in ${channel} was left alone: set own_alias, so that mentions of us can be found.`;
    this.#parts.observer.on({ type: 'notice', level: 'warn', text });
  }
}
