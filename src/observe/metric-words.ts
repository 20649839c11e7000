// The closed lists behind metric labels and the buckets of histograms: held to the types they stand for.
import type { BudgetState } from '../domain/budget.js';
import type { MessageState } from '../domain/message.js';
import type { OutboxState, SendKind } from '../domain/outbox.js';
import type { TurnOutcome, TurnReason } from '../domain/turn.js';
import type { Verdict } from '../domain/verdict.js';
import type { WakeKind, WebhookRefusal } from '../domain/wake.js';
import type { LookOutcome } from '../ports/upstream.js';

/** A list of all members of a union: a missing or a surplus one does not compile. */
const allOf =
  <T extends string>() =>
  <const L extends readonly T[]>(...list: [T] extends [L[number]] ? L : never): readonly T[] =>
    list;

export type LookWord = Exclude<LookOutcome['kind'], 'looked'> | 'found' | 'empty';
export type TokenWord = 'input' | 'cache_read' | 'cache_write' | 'output';

export const WORDS = {
  wakes: allOf<WakeKind>()('start', 'timer', 'webhook', 'stream', 'notification', 'signal', 'manual', 'file'),
  looks: allOf<LookWord>()('found', 'empty', 'down', 'unauthorised', 'rate-limited', 'unrecognised'),
  endings: allOf<TurnOutcome['kind']>()('completed', 'failed', 'timed-out', 'died', 'interrupted'),
  verdicts: allOf<Verdict['kind']>()('answered', 'silent', 'retry', 'dead'),
  reasons: allOf<TurnReason>()(
    'limited',
    'rate-limited',
    'overloaded',
    'server-error',
    'credit-exhausted',
    'unauthorised',
    'model-unknown',
    'context-too-long',
    'request-invalid',
    'over-budget',
    'unknown',
    'silence',
    'tool',
    'turn',
  ),
  tokens: allOf<TokenWord>()('input', 'cache_read', 'cache_write', 'output'),
  sends: allOf<SendKind>()('reply', 'interim', 'other', 'notice'),
  messages: allOf<MessageState>()('waiting', 'claimed', 'retry', 'answered', 'silent', 'dead'),
  outbox: allOf<OutboxState>()('queued', 'sending', 'sent', 'refused', 'unsure'),
  windows: allOf<BudgetState['window']>()('run', 'day', 'hour'),
  refusals: allOf<WebhookRefusal>()(
    'method',
    'path',
    'too-large',
    'malformed',
    'unsigned',
    'stale',
    'signature',
  ),
} as const;

export const BUCKETS = {
  /** One request over the network. */
  call: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  /** From a scripted answer to a task of hours. */
  turn: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
  /** From at once to over a weekend's hold. */
  wait: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400],
} as const;
