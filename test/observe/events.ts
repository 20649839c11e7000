// Events as a worker would tell them, for the tests of this room.
import type { WorkerEvent } from '../../src/ports/observer.js';

type Of<Type extends WorkerEvent['type']> = Extract<WorkerEvent, { type: Type }>;

export const began = (over: Partial<Of<'turn-began'>> = {}): WorkerEvent => ({
  type: 'turn-began',
  claimId: 'claim-1',
  turnId: 'turn-1',
  conversation: '@alice',
  messages: 1,
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
  ...over,
});

export const hold = {
  reason: 'limited',
  why: 'The limit resets at noon.',
  since: 1000,
  until: 61_000,
} as const;
