// A claim: the waiting messages of one conversation, taken together to be answered by one reply.
import type { Message } from './message.js';

export interface Claim {
  /** Stays the same through rescue and retry, and with it its messages. */
  readonly id: string;
  readonly conversation: string;
  readonly messages: readonly Message[];
  /** Attempts that have counted so far, this one not included. */
  readonly attempts: number;
  /** Where the last attempt ended, when there was one. */
  readonly before: EarlierAttempt | undefined;
}

/** More than one reply can sensibly answer; what waits beyond that is the next claim's. */
export const CLAIM_MESSAGES = 50;

/** What an earlier attempt at this claim left behind. */
export interface EarlierAttempt {
  readonly sessionId: string | undefined;
  /** The session's history holds the prompt: continue it, do not send it again in full. */
  readonly promptKept: boolean;
  /** True when the worker itself died in it: work may be half done. */
  readonly rescued: boolean;
  readonly lastError: string | undefined;
}

/** The exact address an answer to this claim goes to. */
export function replyAddress(claim: Pick<Claim, 'conversation' | 'messages'>): string {
  return claim.messages.findLast((m) => m.replyTo !== undefined)?.replyTo ?? claim.conversation;
}
