// A worker that does not run: how it was left, what waits, how it is started.
import { expect, it } from 'vitest';
import { renderStopped } from '../../src/control/render-stopped.js';
import type { StoppedStatus } from '../../src/domain/status.js';
import { NOW, status } from './status.js';

const { messages, oldestWaitingAt, outbox, today, budgets } = status();

const stopped = (over: Partial<StoppedStatus> = {}): StoppedStatus => ({
  running: false,
  health: 'stopped',
  version: '1.2.3',
  paused: false,
  ended: 'stopped',
  why: 'It was stopped.',
  lastSeenAt: NOW - 7_200_000,
  holder: { host: 'here', pid: 7, folder: '/agent' },
  messages: { ...messages, waiting: 2, dead: 1 },
  oldestWaitingAt: NOW - 60_000,
  outbox,
  today,
  budgets,
  lastTurn: {
    conversation: '@alice',
    startedAt: NOW - 7_500_000,
    endedAt: NOW - 7_400_000,
    verdict: 'answered',
  },
  ...over,
});

it('tells since when, what waits, what it cost today, and how to start it', () => {
  expect(renderStopped(stopped(), NOW, 'inbox-worker run')).toBe(
    [
      'not running: It was stopped.',
      '  since    ended 2 h ago, last turn 2 h 3 m ago (@alice: answered)',
      '  waiting  2 messages, the oldest for 1 m',
      '  dead     1 message given up',
      '  today    4 in, 3 answered, 1 silent, 0 dead; 3 turns, $0.012, 4 model calls',
      '  budget   day $0.01 of $10.00 (resets in 21 h 13 m)',
      '  start    inbox-worker run',
    ].join('\n'),
  );
});

it('tells a crash by its last sign of life, and a turn that has no end', () => {
  const text = renderStopped(
    stopped({
      ended: 'gone',
      why: 'It was killed.',
      lastTurn: { conversation: '@bob', startedAt: NOW - 1_000, endedAt: undefined, verdict: undefined },
      paused: true,
    }),
    NOW,
    'run',
  );
  expect(text).toContain('since    last heard of 2 h ago, last turn 1 s ago (@bob: no end)\n');
  expect(text).toContain('paused   no turn starts until `inbox-worker resume`\n');
});

it('has little to tell of one that never ran, or that is answered from elsewhere', () => {
  const bare = {
    ...{ messages: undefined, oldestWaitingAt: undefined, outbox: undefined, today: undefined },
    ...{ budgets: undefined, lastTurn: undefined, lastSeenAt: undefined },
  } as Partial<StoppedStatus>;
  const never = stopped({ ...bare, ended: 'never', why: 'No worker has answered this inbox yet.' });
  expect(renderStopped(never, NOW, 'run')).toBe(
    'not running: No worker has answered this inbox yet.\n  start    run',
  );
  const elsewhere = stopped({ ended: 'elsewhere', why: 'It is answered from elsewhere.' });
  expect(renderStopped(elsewhere, NOW, 'run')).not.toContain('start');
});

it('reads what came through JSON', () => {
  expect(renderStopped(JSON.parse(JSON.stringify(stopped({ oldestWaitingAt }))), NOW, 'run')).toBe(
    renderStopped(stopped({ oldestWaitingAt }), NOW, 'run'),
  );
});
