// The mailbox: the durable copy of what came in, and the claims on it.
import type { Claim, EarlierAttempt } from '../domain/claim.js';
import type { Exchange, IncomingMessage, Message, MessageState } from '../domain/message.js';
import type { MessageTally } from '../domain/status.js';

/** How a claim is settled, in one commit with its messages' states and its reply. */
export type Settlement =
  | { readonly kind: 'answered'; readonly reply: ReplyText | undefined }
  | { readonly kind: 'silent' }
  | {
      readonly kind: 'retry';
      readonly retryAt: number;
      readonly error: string;
      readonly countsAttempt: boolean;
      readonly before: EarlierAttempt;
    }
  | { readonly kind: 'dead'; readonly error: string; readonly notice: ReplyText | undefined };

/** A text for the outbox, already split into what the upstream takes at once. */
export interface ReplyText {
  readonly to: string;
  readonly parts: readonly string[];
  readonly replyToId: string | undefined;
}

export interface OpenClaim extends Claim {
  /** The turn that was running when we died, where one had started. */
  readonly sessionId: string | undefined;
}

/** A claim that would be made, or taken up again. */
export interface UpcomingClaim extends Omit<Claim, 'id'> {
  /** Undefined while there is none: its messages wait. */
  readonly id: string | undefined;
  /** When a retry falls due, epoch ms; undefined for what may go at once. */
  readonly dueAt: number | undefined;
}

export interface MailboxCounts {
  readonly messages: Readonly<Record<MessageState, number>>;
  /** When the oldest unsettled message was spooled. */
  readonly oldestWaitingAt: number | undefined;
}

/** One step of a message's life. */
export interface LifeStep {
  readonly state: MessageState;
  readonly at: number;
  /** Why, where there is a reason: the error of a failed attempt. */
  readonly note: string | undefined;
}

export interface MessageLife extends Message {
  readonly claimId: string | undefined;
  /** Failed attempts that counted, the one that ended it as `dead` included. */
  readonly attempts: number;
  readonly retryAt: number | undefined;
  readonly lastError: string | undefined;
  /** When it was first claimed; the later times are among the steps. */
  readonly claimedAt: number | undefined;
  readonly settledAt: number | undefined;
  /** From `waiting` on, in order. */
  readonly steps: readonly LifeStep[];
}

/** A message whose sender has not heard from us since. */
export interface Unanswered {
  readonly id: string;
  readonly conversation: string;
  /** The address an answer goes to. */
  readonly to: string;
  readonly spooledAt: number;
}

/** Every write is refused with WorkerError `lease-lost` once another generation holds the lease. */
export interface Mailbox {
  /**
   * Commits a batch. Resolves when it is on disk. A message whose id is known is left as it is.
   * May be repeated with the same batch.
   * @param silent ids among the batch that nobody answers (system, ignored): recorded as `silent`
   */
  spool(
    batch: readonly IncomingMessage[],
    at: number,
    silent?: ReadonlySet<string>,
  ): Promise<{ fresh: number; known: number }>;

  /**
   * Claims the conversation whose turn it is: a due retry first (its own claim, same messages), else the
   * conversation with the oldest waiting message that has no unsettled claim. `newId` names a new claim.
   * `prefer` names a conversation taken first when it is claimable (the session that is warm).
   */
  claim(options: {
    at: number;
    slot: number;
    newId: string;
    prefer?: string | undefined;
  }): Promise<Claim | undefined>;

  /** Records that the claim's prompt goes to this session: what recovery resumes. Rejects when the claim is not open. */
  noteSession(claimId: string, sessionId: string): Promise<void>;

  /**
   * Settles an open claim, all in one commit. Rejects (WorkerError `internal`), with nothing changed, when the claim
   * is not open, or is to be `answered` without a reply while the outbox holds none of it.
   */
  settle(claimId: string, settlement: Settlement, at: number): Promise<void>;

  /** Claims that were open when a worker died, oldest first. */
  openClaims(): Promise<OpenClaim[]>;

  /** When the next retry falls due, epoch ms. */
  nextRetryAt(): Promise<number | undefined>;

  /**
   * The last exchanges of a conversation that ended before this claim, oldest first, within both limits: the messages
   * of earlier claims that were answered or fell silent, our replies to them, and what was sent to that conversation
   * out of another's turn. Refused texts, interim ones and notices are no part of it. Each claim's messages stand
   * before their reply. `exchanges` counts entries; beyond `chars` (UTF-16 units of text) the oldest are left out,
   * and a single one too long is cut.
   */
  memory(
    claim: Pick<Claim, 'id' | 'conversation'>,
    limits: { exchanges: number; chars: number },
  ): Promise<Exchange[]>;

  /**
   * Of each conversation the oldest unsettled message, in order of arrival; not where its claim holds a send to that
   * conversation already, an interim one or the notice of an earlier end.
   */
  unanswered(): Promise<Unanswered[]>;

  counts(): Promise<MailboxCounts>;

  /** How many messages came in at or after `since` (epoch ms), and how many ended since then, and how. */
  tally(since: number): Promise<MessageTally>;

  /**
   * What `claim` would give now and after that, in its order, then the retries that fall due later. Changes nothing.
   */
  upcoming(query: { at: number; limit: number }): Promise<UpcomingClaim[]>;

  /** A message by upstream id, with its whole life. */
  show(id: string): Promise<MessageLife | undefined>;

  /** Messages in any of these states with their lives, the last that came in first. */
  list(query: { states: readonly MessageState[]; limit: number }): Promise<MessageLife[]>;

  /**
   * By hand: the whole claim of a dead message is to be tried again, as `retry`, due at once, with no attempt counted
   * and its prompt in full. Its conversation may have another unsettled claim meanwhile: then the re-opened one waits
   * behind it (its messages are `retry` without an instant) and is due when that one has ended; several wait in the
   * order of their first opening. A claim keeps its place: the memory of its prompt ends where it first stood.
   * Rejects with WorkerError `usage` when the message is unknown or not dead.
   */
  reopen(id: string, at: number): Promise<{ claimId: string; messages: number }>;

  /**
   * By hand: a waiting, retry or dead message falls `silent` with the note `dropped by hand`, and with it its whole
   * claim where it has one. It is no part of any memory. Rejects with WorkerError `usage` when the message is unknown,
   * has ended otherwise, or is claimed: its turn must end first.
   */
  drop(id: string, at: number): Promise<{ messages: number }>;
}
