import { describe, expect, it } from 'vitest';
import { renderStatus } from '../../src/control/render.js';
import { NOW, status } from './status.js';

describe('renderStatus', () => {
  it('tells a quiet worker in one glance', () => {
    expect(renderStatus(status(), NOW)).toBe(
      [
        'idle: Waiting for a message.',
        '  waiting  nothing',
        '  today    3 turns, $0.012, 4 model calls',
        '  look     1 m 3 s ago (woken by webhook, timer), next in 57 s; 12 looks, 1 missed wake',
        '  claude   2.1.332, pid 77, session session-1',
        '  running  for 2 h 5 m',
      ].join('\n'),
    );
  });

  it('tells what it works on and what waits', () => {
    const text = renderStatus(
      status({
        health: 'working',
        why: 'Answering @alice.',
        turn: { conversation: '@alice\u001b[2J', startedAt: NOW - 12_000, lastFrameAt: NOW - 800 },
        messages: { waiting: 2, claimed: 1, retry: 1, answered: 0, silent: 0, dead: 2 },
        oldestWaitingAt: NOW - 192_000,
        outbox: { queued: 1, sending: 0, sent: 9, refused: 0, unsure: 2 },
        stopping: true,
      }),
      NOW,
    );
    expect(text).toContain('now      answering @alice [2J for 12 s, last sign of life 800 ms ago');
    expect(text).toContain('waiting  4 messages (1 in work, 1 to be tried again), the oldest for 3 m 12 s');
    expect(text).toContain('dead     2 messages given up');
    expect(text).toContain('outbox   1 queued, 2 unsure');
    expect(text).toContain('running  for 2 h 5 m, stopping');
    expect(text).not.toContain('budget');
  });

  it('says why it holds and until when, and what else holds', () => {
    const text = renderStatus(
      status({
        health: 'limited',
        why: 'The limit is used up.',
        holds: [
          { reason: 'limited', why: 'The limit is used up.', since: NOW, until: NOW + 3_600_000 },
          { reason: 'inbox-down', why: 'Connection refused.', since: NOW, until: undefined },
        ],
      }),
      NOW,
    );
    expect(text.split('\n')[0]).toBe('limited: The limit is used up. (tried again in 1 h)');
    expect(text).toContain('holds    inbox-down: Connection refused.\n');
  });

  it('knows a worker that has not looked yet, one whose looks fail, and one whose look is due', () => {
    const { look } = status();
    const none = { ...look, lastAt: undefined, lastSuccessAt: undefined, nextAt: undefined };
    expect(renderStatus(status({ look: none }), NOW)).toContain('look     none yet\n');
    const failing = { ...look, lastSuccessAt: NOW - 600_000, nextAt: NOW - 1 };
    expect(renderStatus(status({ look: failing }), NOW)).toContain(', last success 10 m ago, next now;');
    const agent = { ...status().agent, version: undefined, pid: undefined, sessionId: undefined };
    expect(renderStatus(status({ agent }), NOW)).toContain('version not known yet, no process, no session');
  });

  it('tells how far budgets are spent, and when they begin anew', () => {
    const spent = { usd: 0.421, tokens: 1_200 };
    const text = renderStatus(
      status({
        budgets: [
          { window: 'day', cap: { usd: 10, tokens: 5_000 }, spent, endsAt: NOW + 3_600_000 },
          { window: 'run', cap: { usd: 'unlimited', tokens: 9_000 }, spent, endsAt: undefined },
        ],
      }),
      NOW,
    );
    expect(text).toContain(
      '  budget   $0.42 of $10.00 and 1200 of 5000 tokens this day (anew in 1 h); 1200 of 9000 tokens this run\n',
    );
  });

  it('reads what came over the wire, where undefined fields are missing', () => {
    const wire = JSON.parse(JSON.stringify(status()));
    expect(renderStatus(wire, NOW)).toBe(renderStatus(status(), NOW));
  });
});
