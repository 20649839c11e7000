// A message's story to vary, for the tests of this room.
import type { MessageStory, TurnLine } from '../../src/control/wire.js';
import type { OutboxRow } from '../../src/domain/outbox.js';
import type { MessageLife } from '../../src/ports/mailbox.js';

/** 2026-11-30T12:00:00.000Z */
export const T = Date.UTC(2026, 10, 30, 12);

export const life = (over: Partial<MessageLife> = {}): MessageLife => ({
  id: 'm1',
  conversation: '@alice',
  sender: '@alice',
  text: 'a secret word',
  kind: 'agent',
  state: 'answered',
  spooledAt: T,
  claimId: 'c1',
  attempts: 1,
  retryAt: undefined,
  lastError: 'overloaded',
  claimedAt: T + 50,
  settledAt: T + 8_000,
  steps: [
    { state: 'waiting', at: T, note: undefined },
    { state: 'claimed', at: T + 50, note: undefined },
    { state: 'retry', at: T + 2_000, note: 'overloaded' },
    { state: 'claimed', at: T + 5_000, note: undefined },
    { state: 'answered', at: T + 8_000, note: undefined },
  ],
  ...over,
});

export const turn = (over: Partial<TurnLine> = {}): TurnLine => ({
  id: 't1',
  claimId: 'c1',
  conversation: '@alice',
  slot: 0,
  sessionId: 's1',
  startedAt: T + 100,
  promptBytes: 321,
  endedAt: T + 2_000,
  verdict: 'retry',
  outcome: 'failed: overloaded',
  usage: { costUsd: 0.01, inputTokens: 100, outputTokens: 0, modelCalls: 1 },
  ...over,
});

export const row = (over: Partial<OutboxRow> = {}): OutboxRow => ({
  id: 12,
  claimId: 'c1',
  idempotencyKey: 'c1/@alice/reply/0/0',
  to: '@alice',
  text: 'another secret',
  kind: 'reply',
  ordinal: 0,
  part: 0,
  state: 'sent',
  replyToId: 'm1',
  upstreamId: 'u77',
  queuedAt: T + 8_000,
  sentAt: T + 8_200,
  attempts: 1,
  retryAt: undefined,
  lastError: undefined,
  ...over,
});

export const story = (over: Partial<MessageStory> = {}): MessageStory => ({
  message: life(),
  sends: [row()],
  turns: [turn(), turn({ id: 't2', startedAt: T + 5_100, endedAt: T + 8_000, outcome: 'completed' })],
  ...over,
});
