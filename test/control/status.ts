// A status to vary, for the tests of this room.
import type { Status } from '../../src/domain/status.js';

export const NOW = 10_000_000;

export const status = (over: Partial<Status> = {}): Status => ({
  health: 'idle',
  why: 'Waiting for a message.',
  holds: [],
  resting: [],
  stopping: false,
  startedAt: NOW - 7_500_000,
  turn: undefined,
  look: {
    lastAt: NOW - 63_000,
    lastSuccessAt: NOW - 62_900,
    nextAt: NOW + 57_000,
    count: 12,
    missedWakes: 1,
    lastWokenBy: ['webhook', 'timer'],
  },
  messages: { waiting: 0, claimed: 0, retry: 0, answered: 3, silent: 0, dead: 0 },
  oldestWaitingAt: undefined,
  outbox: { queued: 0, sending: 0, sent: 3, refused: 0, unsure: 0 },
  today: { turns: 3, costUsd: 0.0123, modelCalls: 4 },
  budgets: [],
  agent: {
    version: '2.1.332',
    pid: 77,
    sessionId: 'session-1',
    sessionTurns: 2,
    contextTokens: 1_500,
  },
  ...over,
});
