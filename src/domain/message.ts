// A message from the upstream inbox, and the states of its life.

/** What an upstream hands over, before it is ours. */
export interface IncomingMessage {
  /** The upstream's own id: unique per inbox, the key of deduplication. */
  readonly id: string;
  /** The counterpart (`@alice`) or channel (`#ops`): the unit of order and of privacy. */
  readonly conversation: string;
  /** Who wrote it; the same as `conversation` for a direct message. */
  readonly sender: string;
  readonly text: string;
  /** The exact string to address an answer to, where the upstream names one. */
  readonly replyTo?: string | undefined;
  /** When it was sent, epoch ms, where the upstream tells. */
  readonly sentAt?: number | undefined;
  /** `system` messages are recorded and never answered. */
  readonly kind: 'agent' | 'system';
}

/**
 * waiting → claimed → answered | silent | retry | dead, and retry → claimed again.
 * `answered`, `silent` and `dead` are the ends; a person may re-open a `dead` one, or drop it into silence.
 */
export const MESSAGE_STATES = ['waiting', 'claimed', 'retry', 'answered', 'silent', 'dead'] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

const NEXT: Record<MessageState, readonly MessageState[]> = {
  // A message nobody may answer (system, ignored channel) falls silent without a turn.
  waiting: ['claimed', 'silent', 'dead'],
  // Back to waiting: the claim was given back untouched (shutdown before the prompt was written).
  claimed: ['answered', 'silent', 'retry', 'dead', 'waiting'],
  retry: ['claimed', 'answered', 'silent', 'dead', 'waiting'],
  answered: [],
  silent: [],
  // By hand alone.
  dead: ['retry', 'silent'],
};

export function mayBecome(from: MessageState, to: MessageState): boolean {
  return NEXT[from].includes(to);
}

export const isSettled = (state: MessageState): boolean => NEXT[state].length === 0 || state === 'dead';

/** Why a message fell silent, or a send was refused, when a person said so. */
export const DROPPED_BY_HAND = 'dropped by hand';

/** A message as the mailbox holds it. */
export interface Message extends IncomingMessage {
  readonly state: MessageState;
  /** When it was committed to our disk, epoch ms. */
  readonly spooledAt: number;
}

/** One line of a conversation's memory: what they said, or what we said. */
export interface Exchange {
  readonly from: 'them' | 'us';
  /** The writer's name as shown in the prompt. */
  readonly name: string;
  readonly text: string;
  readonly at: number;
}
