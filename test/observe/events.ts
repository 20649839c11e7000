// Events as a worker would tell them, for the tests of this room.
import type { WorkerEvent } from '../../src/ports/observer.js';

type Of<Type extends WorkerEvent['type']> = Extract<WorkerEvent, { type: Type }>;

export const began = (over: Partial<Of<'turn-began'>> = {}): WorkerEvent => ({
  type: 'turn-began',
  claimId: 'claim-1',
  turnId: 'turn-1',
  conversation: '@alice',
  messages: 1,
  spooledAt: [0],
  attempt: 1,
  promptBytes: 900,
  mode: 'full',
  ...over,
});

export const ended = (over: Partial<Of<'turn-ended'>> = {}): WorkerEvent => ({
  type: 'turn-ended',
  claimId: 'claim-1',
  turnId: 'turn-1',
  conversation: '@alice',
  verdict: 'answered',
  outcome: 'completed',
  ending: 'completed',
  reason: undefined,
  model: 'claude-x',
  usage: { costUsd: 0.003, inputTokens: 800, outputTokens: 20, modelCalls: 1 },
  durationMs: 1234,
  sessionId: 'session-1',
  ...over,
});

export const looked = (over: Partial<Of<'looked'>> = {}): WorkerEvent => ({
  type: 'looked',
  fresh: 0,
  known: 0,
  wokenBy: ['timer'],
  missed: false,
  nextAt: 60_000,
  durationMs: 20,
  ...over,
});

export const lookFailed = (over: Partial<Of<'look-failed'>> = {}): WorkerEvent => ({
  type: 'look-failed',
  outcome: 'down',
  text: 'connection refused',
  nextAt: 2_000,
  durationMs: 30,
  ...over,
});

export const sent = (over: Partial<Of<'sent'>> = {}): WorkerEvent => ({
  type: 'sent',
  claimId: 'claim-1',
  to: '@alice',
  kind: 'reply',
  part: 0,
  queuedAt: 0,
  durationMs: 40,
  upstreamId: 'u1',
  ...over,
});

export const sendFailed = (over: Partial<Of<'send-failed'>> = {}): WorkerEvent => ({
  type: 'send-failed',
  claimId: 'claim-1',
  to: '@alice',
  kind: 'reply',
  part: 0,
  queuedAt: 0,
  durationMs: 40,
  state: 'queued',
  text: 'full',
  ...over,
});

export const rescued = (over: Partial<Of<'rescued'>> = {}): WorkerEvent => ({
  type: 'rescued',
  claimId: 'claim-1',
  conversation: '@bob',
  messages: 1,
  verdict: 'retry',
  how: 'it will be tried again',
  ...over,
});

export const capped = (over: Partial<Of<'capped'>> = {}): WorkerEvent => ({
  type: 'capped',
  claimId: 'claim-1',
  conversation: '@bob',
  messages: 1,
  verdict: 'retry',
  why: 'it was answered 30 times within 60 min (loop guard)',
  until: 61_000,
  ...over,
});

export const dead = (over: Partial<Of<'dead'>> = {}): WorkerEvent => ({
  type: 'dead',
  claimId: 'claim-1',
  conversation: '@alice',
  messages: ['m1'],
  attempts: 5,
  error: 'no sign of life for 600 s',
  ...over,
});

export const hold = {
  reason: 'limited',
  why: 'The limit resets at noon.',
  since: 1000,
  until: 61_000,
} as const;
