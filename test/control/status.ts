// A status to vary, for the tests of this room.
import type { Preview } from '../../src/domain/preview.js';
import type { Status } from '../../src/domain/status.js';

export const NOW = 10_000_000;

export const status = (over: Partial<Status> = {}): Status => ({
  health: 'idle',
  why: 'Waiting for a message.',
  until: NOW + 57_000,
  version: '1.2.3',
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
  today: {
    since: 0,
    turns: 3,
    costUsd: 0.0123,
    tokens: 4_210,
    modelCalls: 4,
    messages: { in: 4, answered: 3, silent: 1, dead: 0 },
  },
  budgets: [
    {
      window: 'day',
      spent: { usd: 0.0123, tokens: 4_210 },
      cap: { usd: 10, tokens: 'unlimited' },
      endsAt: NOW + 76_400_000,
    },
  ],
  wakes: [],
  session: undefined,
  agent: {
    version: '2.1.332',
    pid: 77,
    sessionId: 'session-1',
  },
  ...over,
});

export const preview = (over: Partial<Preview> = {}): Preview => ({
  at: NOW,
  does: 'nothing',
  why: 'Nobody waits for an answer.',
  until: NOW + 57_000,
  hold: undefined,
  next: [],
  more: false,
  together: false,
  nextLookAt: NOW + 57_000,
  ...over,
});

export const RELOADED = {
  changed: [{ key: 'budget_day', from: '$10', to: '$20' }],
  kept: [
    { key: 'webhook_port', running: '8787', wanted: '9000', why: 'what it opens is opened at the start' },
  ],
  warnings: [],
};
