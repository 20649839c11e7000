// What control says over HTTP: shapes that both the routes and their client know.
import { ERROR_KINDS, type ErrorCode, WorkerError } from '../domain/errors.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Health } from '../domain/status.js';
import type { TurnRecord, TurnResult } from '../ports/ledger.js';
import type { MessageLife } from '../ports/mailbox.js';
import type { Bucket, ConversationLine, Latency, MessageLine, MessageQuery, Span } from '../ports/reports.js';

/** One of the agents of a process. */
export interface AgentLine {
  readonly name: string;
  /** Where it lies on the private listener: `/` for one that is alone, `/NAME/` for one of several. */
  readonly path: string;
  /** `starting` and `waiting` (for its lease, say) before it runs, `ended` after. */
  readonly health: Health | 'starting' | 'waiting' | 'ended';
}

export type StopHow = 'drain' | 'force';

/** What a reload came to. Values as `config` shows them: secrets hidden, empty where unset. */
export interface Reloaded {
  readonly changed: readonly { readonly key: string; readonly from: string; readonly to: string }[];
  /** What takes a restart, and why, as a part of a sentence. */
  readonly kept: readonly {
    readonly key: string;
    readonly running: string;
    readonly wanted: string;
    readonly why: string;
  }[];
  /** Sentences: what was odd in the files. */
  readonly warnings: readonly string[];
}

/** What may wake a running worker, as it is this moment; `id` may be used for test deliveries, which leave no trace. */
export interface WakeWays {
  readonly id: string;
  /** Where webhooks are taken; missing while they are not. */
  readonly webhook?: { readonly host: string; readonly port: number; readonly path: string };
  /** Whether the wake stream is connected; missing where none is followed. */
  readonly stream?: boolean;
}

/** A turn as the ledger has it; without a result while it runs, or where a crash took it. */
export type TurnLine = TurnRecord & Partial<TurnResult>;

/** A turn with the messages it worked on, in the order of their arrival. */
export interface LedgerLine extends TurnLine {
  readonly messages: readonly string[];
}

/** A message's whole life: the message, what was sent for its claim, and the turns that worked on it, oldest first. */
export interface MessageStory {
  readonly message: MessageLife;
  readonly sends: readonly OutboxRow[];
  readonly turns: readonly TurnLine[];
}

/** A message that was given up. Its text is not told, only how long it is. */
export interface DeadMessage {
  readonly id: string;
  readonly conversation: string;
  readonly sender: string;
  readonly chars: number;
  readonly claimId: string | undefined;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly spooledAt: number;
  readonly diedAt: number | undefined;
}

/** A send of which nobody can tell whether it arrived. */
export interface UnsureSend {
  /** `out-` and the number of its row: what `retry` and `drop` take. */
  readonly id: string;
  readonly to: string;
  readonly kind: OutboxRow['kind'];
  /** From 0. */
  readonly part: number;
  readonly chars: number;
  /** The message it answers, where the send names one. */
  readonly replyToId: string | undefined;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly queuedAt: number;
}

/** What waits for a person's word, the newest first. Of very many only the newest are listed; `total` counts all. */
export interface DeadList {
  readonly messages: readonly DeadMessage[];
  readonly sends: readonly UnsureSend[];
  readonly total: { readonly messages: number; readonly sends: number };
}

export interface Reopened {
  readonly claimId: string;
  readonly messages: number;
  /** Another claim of its conversation must end first. */
  readonly waits: boolean;
}

/** Those with the newest messages first. Of very many only these are listed; `total` counts all. */
export interface ConversationList {
  readonly conversations: readonly ConversationLine[];
  readonly total: number;
}

/** The last that came in first. Where there are `more`, the next page is `before` the `seq` of the last one here. */
export interface MessagePage {
  readonly messages: readonly MessageLine[];
  readonly more: boolean;
}

/** The newest first. `more` were answered within the span than are listed. */
export interface LatencyList {
  readonly latencies: readonly Latency[];
  readonly more: boolean;
}

/** What can be asked of a worker's store and done to it by hand, whether the worker runs or not. */
export interface Operations {
  /** A message by upstream id; undefined when the mailbox never saw it. */
  show(id: string): Promise<MessageStory | undefined>;
  /** The last turns, newest first. */
  turns(limit: number): Promise<readonly LedgerLine[]>;
  /** At most 200; turns and their cost are those of today (UTC). */
  conversations(): Promise<ConversationList>;
  messages(query: MessageQuery): Promise<MessagePage>;
  /** Ids that begin like this, at most 10, in order of arrival. */
  idsLike(prefix: string): Promise<readonly string[]>;
  /** Buckets without a turn are left out. */
  series(query: Span & { readonly bucketMs: number }): Promise<readonly Bucket[]>;
  /** At most 2,000. */
  latencies(span: Span): Promise<LatencyList>;
  dead(): Promise<DeadList>;
  /** A dead message is to be tried again. Rejects with WorkerError `usage` when it is unknown or not dead. */
  retry(id: string): Promise<Reopened>;
  /** A message falls silent, with its claim. Rejects with WorkerError `usage` when it is unknown, in a turn, or ended. */
  drop(id: string): Promise<{ readonly messages: number }>;
  /** Rejects with WorkerError `usage` when the row is unknown or not unsure. */
  settleUnsure(rowId: number, how: 'resend' | 'drop'): Promise<void>;
}

/** The body of every refusal: a sentence, what to try, and a code of domain/errors. */
export interface Refusal {
  readonly error: string;
  readonly try: string;
  readonly code: ErrorCode;
}

export function refusal(code: ErrorCode, error: string, hint: string = ERROR_KINDS[code].hint): Refusal {
  return { error, try: hint, code };
}

/** A refusal read back into what was thrown; undefined when the body is none. */
export function errorFrom(body: unknown): WorkerError | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, code, try: hint } = body as Record<string, unknown>;
  if (typeof error !== 'string' || typeof code !== 'string' || !isCode(code)) return undefined;
  return new WorkerError(code, error, typeof hint === 'string' ? { hint } : {});
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_KINDS, code);
