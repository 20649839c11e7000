// Reports: what a person wants to see of the store, in pages and sums. Nobody's work depends on them.
import type { IncomingMessage, MessageState } from '../domain/message.js';
import type { Usage } from '../domain/turn.js';

/** One conversation in a line. */
export interface ConversationLine {
  readonly conversation: string;
  /** How many of its messages are in each state. */
  readonly messages: Readonly<Record<MessageState, number>>;
  /** When the last of its messages came in. */
  readonly lastMessageAt: number;
  /** The turn that was begun last; without an end while it runs, or where a crash took it. */
  readonly lastTurn:
    | {
        readonly startedAt: number;
        readonly endedAt: number | undefined;
        /** answered, silent, retry or dead. */
        readonly verdict: string | undefined;
      }
    | undefined;
  /** Its turns that started at or after the instant asked for, and what they have cost. */
  readonly turns: number;
  readonly costUsd: number;
}

/** One message in a line. Its text is not told, only how long it is. */
export interface MessageLine {
  readonly id: string;
  /** Its place in the order of arrival: where the next page goes on. */
  readonly seq: number;
  readonly conversation: string;
  readonly sender: string;
  readonly kind: IncomingMessage['kind'];
  readonly chars: number;
  readonly state: MessageState;
  readonly claimId: string | undefined;
  readonly attempts: number;
  readonly retryAt: number | undefined;
  readonly lastError: string | undefined;
  readonly spooledAt: number;
  /** When it was first claimed. */
  readonly claimedAt: number | undefined;
  readonly settledAt: number | undefined;
  /** When the first reply of its claim had gone out. */
  readonly repliedAt: number | undefined;
}

export interface MessageQuery {
  /** Any state where none is named. */
  readonly states?: readonly MessageState[] | undefined;
  readonly conversation?: string | undefined;
  /** Only those that came in before the message of this `seq`. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** From `from` up to, but not including, `to`: epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The turns that started within one bucket. */
export interface Bucket extends Usage {
  /** Its beginning, epoch ms: a whole multiple of the bucket's length. */
  readonly at: number;
  readonly turns: number;
}

/** How long one message waited for its reply. */
export interface Latency {
  readonly id: string;
  readonly conversation: string;
  /** When the first reply of its claim had gone out. */
  readonly at: number;
  /** From its spooling until then. Negative where the clock was set back meanwhile. */
  readonly ms: number;
}

export interface Reports {
  /**
   * Those whose last message is the newest, the newest first; `total` counts all there are.
   * @param query.since from when on turns and their cost are counted
   */
  conversations(query: { readonly since: number; readonly limit: number }): Promise<{
    readonly conversations: readonly ConversationLine[];
    readonly total: number;
  }>;
  /** The last that came in first. */
  messages(query: MessageQuery): Promise<MessageLine[]>;
  /** Ids of messages that begin with `prefix`, in order of arrival. */
  idsLike(prefix: string, limit: number): Promise<string[]>;
  /** The ids of each claim's messages, in order of arrival. A claim without any is left out. */
  idsOf(claimIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Buckets in order of time; those without a turn are left out. */
  series(query: Span & { readonly bucketMs: number }): Promise<Bucket[]>;
  /** Of the messages whose first reply went out within the span, the newest first. */
  latencies(query: Span & { readonly limit: number }): Promise<Latency[]>;
}
