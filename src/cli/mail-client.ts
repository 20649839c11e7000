// A small mail client of the embedded inbox: takes what is unread, sends, waits for an answer.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../app/system.js';
import { WorkerError } from '../domain/errors.js';
import type { IncomingMessage } from '../domain/message.js';
import { connectInbox } from '../inbox/index.js';
import type { Upstream } from '../ports/upstream.js';

export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly text: string;
}

const POLL_MS = 150;
/** A long answer comes in several messages, one right after the other: this long without a further one, it is whole. */
const QUIET_MS = 600;

export class MailClient {
  readonly #upstream: Upstream;
  readonly #never = new AbortController().signal;

  constructor(url: string, key: string) {
    this.#upstream = connectInbox({
      server: { type: 'http', url, headers: { Authorization: `Bearer ${key}` } },
      profile: 'auto',
      clock: systemClock,
    });
  }

  /** What is unread, oldest first; it counts as read from then on. */
  async take(): Promise<Letter[]> {
    const letters: Letter[] = [];
    const outcome = await this.#upstream.look(async (batch: readonly IncomingMessage[]) => {
      letters.push(...batch.map(({ id, sender, text }) => ({ id, from: sender, text })));
    }, this.#never);
    if (outcome.kind === 'looked') return letters;
    throw new WorkerError('inbox-down', `The inbox could not be read: ${outcome.message}`);
  }

  /** Answers the id of the message. */
  async send(to: string, text: string): Promise<string> {
    const message = { to, text, replyToId: undefined, idempotencyKey: randomUUID() };
    const outcome = await this.#upstream.send(message, this.#never);
    if (outcome.kind === 'sent') return outcome.upstreamId ?? '';
    throw new WorkerError('send-refused', `The message to ${to} was not sent: ${outcome.message}`);
  }

  /** Takes mail until some of it fits and no more follows, or until `limitMs` is over. Answers all that came. */
  async waitFor(fits: (letter: Letter) => boolean, limitMs: number): Promise<Letter[]> {
    const letters: Letter[] = [];
    const deadline = Date.now() + limitMs;
    let quietAt = Number.POSITIVE_INFINITY;
    while (Date.now() < Math.min(deadline, quietAt)) {
      const more = await this.take();
      letters.push(...more);
      if (more.some(fits)) quietAt = Date.now() + QUIET_MS;
      await sleep(POLL_MS);
    }
    return letters;
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
