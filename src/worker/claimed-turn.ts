// The open turn as Claude's tools see it: the claimed conversation and nothing else.
import { maySendTo, sameName } from '../domain/addressing.js';
import { type Claim, replyAddress } from '../domain/claim.js';
import { relinkMentions } from '../domain/mention.js';
import type { SendKind } from '../domain/outbox.js';
import { headOf, sendableParts } from '../domain/split.js';
import type { DmPiece, DmSummary, OpenTurn, Refused, SendRequest } from '../ports/turns.js';
import { messageOf } from './faults.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

/** A turn that sends more than this is a loop, not an answer. */
const MAX_SENDS = 50;
/** Claude Code turns a longer tool result into a file, which an agent without file tools cannot read. */
const MAX_READ_CHARS = 40_000;

export class ClaimedTurn implements OpenTurn {
  noReplyCalled = false;
  taskDoneCalled = false;
  readonly #parts: Pick<WorkerParts, 'outbox' | 'clock' | 'upstream'>;
  readonly #options: WorkerOptions;
  readonly #claim: Claim;
  readonly #onSend: () => void;
  readonly #counts = new Map<string, number>();
  #sends = 0;
  #settled = false;
  #closed = false;
  #inFlight: Promise<unknown> = Promise.resolve();

  constructor(
    parts: Pick<WorkerParts, 'outbox' | 'clock' | 'upstream'>,
    options: WorkerOptions,
    claim: Claim,
    onSend: () => void,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#claim = claim;
    this.#onSend = onSend;
  }

  async list(): Promise<DmSummary[]> {
    const { conversation, messages } = this.#claim;
    const lastAt = Math.max(...messages.map((message) => message.sentAt ?? message.spooledAt));
    // Read again after the answer, it must not look unanswered: Claude would answer once more.
    return [{ with: conversation, unread: this.#settled ? 0 : messages.length, lastAt }];
  }

  async read(request: {
    with: string;
    id?: string | undefined;
    offset?: number | undefined;
  }): Promise<{ kind: 'messages'; messages: DmPiece[] } | Refused> {
    if (!this.covers(request.with)) {
      return refuse(
        `There is no open conversation with ${request.with}; this turn is about ${this.#claim.conversation}.`,
      );
    }
    const chosen = this.#claim.messages.filter(
      (message) => request.id === undefined || message.id === request.id,
    );
    if (chosen.length === 0) return refuse(`There is no message ${request.id} in this conversation.`);
    const offset = request.id === undefined ? 0 : Math.max(0, request.offset ?? 0);
    let left = MAX_READ_CHARS;
    const pieces = chosen.map((message): DmPiece => {
      const text = headOf(message.text.slice(offset), Math.min(this.#options.maxInlineChars, left));
      left -= text.length;
      const end = offset + text.length;
      return {
        id: message.id,
        sender: message.sender,
        text,
        at: message.sentAt ?? message.spooledAt,
        nextOffset: end < message.text.length ? end : undefined,
      };
    });
    return { kind: 'messages', messages: pieces };
  }

  async send(
    request: SendRequest,
  ): Promise<{ kind: 'accepted'; messageId: string; repeated: boolean } | Refused> {
    if (this.#closed) return refuse('This turn is over; nothing was sent.');
    if (request.text.trim() === '') return refuse('The message is empty; nothing was sent.');
    const ours = this.covers(request.to);
    if (!ours && !maySendTo(this.#options.sendTo, request.to)) {
      return refuse(
        `Sending to ${request.to} is not allowed here; you may answer ${this.#claim.conversation}.`,
      );
    }
    if (this.#sends >= MAX_SENDS)
      return refuse(`This turn has sent ${MAX_SENDS} messages; no more are taken.`);
    this.#sends += 1;
    const kind = !ours ? 'other' : request.interim ? 'interim' : 'reply';
    const to = ours ? replyAddress(this.#claim) : relinkMentions(request.to).trim();
    // One after the other, in the order of the calls: two at once must not get one number.
    const commit = this.#inFlight.then(() => this.#commit(kind, to, request.text, ours));
    this.#inFlight = commit.catch(() => {});
    try {
      return await commit;
    } catch (error) {
      return refuse(`The message could not be stored: ${messageOf(error)}`);
    }
  }

  async #commit(
    kind: Extract<SendKind, 'reply' | 'interim' | 'other'>,
    to: string,
    text: string,
    ours: boolean,
  ): Promise<{ kind: 'accepted'; messageId: string; repeated: boolean }> {
    const { outbox, clock, upstream } = this.#parts;
    const key = `${kind} ${to}`;
    const ordinal = this.#counts.get(key) ?? 0;
    const { rows, repeated } = await outbox.commit(
      {
        claimId: this.#claim.id,
        to,
        kind,
        ordinal,
        parts: sendableParts(relinkMentions(text), upstream.maxChars),
        replyToId: ours ? this.#claim.messages.at(-1)?.id : undefined,
      },
      clock.now(),
    );
    // Only what is on disk has used its number: behind a gap, the next try would send its first one again.
    this.#counts.set(key, ordinal + 1);
    if (kind === 'reply') this.#settled = true;
    this.#onSend();
    return { kind: 'accepted', messageId: `${rows[0]?.id ?? 0}`, repeated };
  }

  async noReply(): Promise<{ kind: 'noted' }> {
    this.noReplyCalled = true;
    this.#settled = true;
    return { kind: 'noted' };
  }

  async taskDone(): Promise<{ kind: 'noted' }> {
    this.taskDoneCalled = true;
    return { kind: 'noted' };
  }

  /** Takes no more sends and resolves when those under way are on disk. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#inFlight;
  }

  /** Is this the name of the claimed conversation? */
  covers(name: string): boolean {
    return sameName(name, this.#claim.conversation) || name.trim() === replyAddress(this.#claim);
  }
}

function refuse(message: string): Refused {
  return { kind: 'refused', message };
}
