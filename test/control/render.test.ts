import { describe, expect, it } from 'vitest';
import { renderStatus } from '../../src/control/render.js';
import { NOW, status } from './status.js';

describe('renderStatus', () => {
  it('tells a quiet worker in one glance', () => {
    expect(renderStatus(status(), NOW)).toBe(
      [
        'idle: Waiting for a message. (looks again in 57 s)',
        '  waiting  nothing',
        '  today    4 in, 3 answered, 1 silent, 0 dead; 3 turns, $0.012, 4 model calls',
        '  budget   day $0.01 of $10.00 (resets in 21 h 13 m)',
        '  look     1 m 3 s ago (woken by webhook, timer); 12 looks, 1 missed wake',
        '  wakes    none but the timer',
        '  session  none',
        '  claude   2.1.332, pid 77',
        '  running  for 2 h 5 m, version 1.2.3',
      ].join('\n'),
    );
  });

  it('tells what it works on and what waits', () => {
    const text = renderStatus(
      status({
        health: 'working',
        why: 'Answering @alice.',
        until: undefined,
        turn: { conversation: '@alice\u001b[2J', startedAt: NOW - 12_000, lastFrameAt: NOW - 800 },
        messages: { waiting: 2, claimed: 1, retry: 1, answered: 0, silent: 0, dead: 2 },
        oldestWaitingAt: NOW - 192_000,
        outbox: { queued: 1, sending: 0, sent: 9, refused: 0, unsure: 2 },
        resting: [{ conversation: '@bob', why: 'loop guard', until: NOW + 90_000 }],
        stopping: true,
      }),
      NOW,
    );
    expect(text).toMatch(/^working: Answering @alice\.\n/);
    expect(text).toContain('now      answering @alice [2J for 12 s, last sign of life 800 ms ago');
    expect(text).toContain('waiting  4 messages (1 in work, 1 to be tried again), the oldest for 3 m 12 s');
    expect(text).toContain('dead     2 messages given up');
    expect(text).toContain('outbox   1 queued, 2 unsure');
    expect(text).toContain('resting  @bob for 1 m 30 s (loop guard)');
    expect(text).toContain('look     1 m 3 s ago (woken by webhook, timer), next in 57 s;');
    expect(text).toContain('running  for 2 h 5 m, version 1.2.3, stopping');
  });

  it('says why it holds and until when, and what else holds', () => {
    const text = renderStatus(
      status({
        health: 'limited',
        why: 'The limit is used up.',
        until: NOW + 3_600_000,
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

  it('tells each budget that is limited, in what it is limited in', () => {
    const spent = { usd: 1.5, tokens: 1_234_567 };
    const budgets = [
      { window: 'hour', spent, cap: { usd: 2, tokens: 2_000_000 }, endsAt: NOW + 60_000 },
      { window: 'run', spent, cap: { usd: 'unlimited', tokens: 900 }, endsAt: undefined },
    ] as const;
    expect(renderStatus(status({ budgets }), NOW)).toContain(
      'budget   hour $1.50 of $2.00 and 1234567 of 2000000 tokens (resets in 1 m); run 1234567 of 900 tokens\n',
    );
    expect(renderStatus(status({ budgets: [] }), NOW)).toContain('budget   no limit\n');
  });

  it('tells where wakes come from, and of a command only when one came', () => {
    const source = {
      connected: false,
      announces: true,
      lastAt: undefined,
      address: undefined,
      since: undefined,
    };
    const stream = 'https://inbox/stream';
    const text = renderStatus(
      status({
        wakes: [
          { ...source, name: 'control files' },
          { ...source, name: 'signal', lastAt: NOW - 5_000 },
          { ...source, name: 'webhook', address: 'http://127.0.0.1:8787/webhook', lastAt: NOW - 61_000 },
          { ...source, name: 'wake stream', address: stream, connected: true, since: NOW - 120_000 },
          { ...source, name: 'notifications' },
        ],
      }),
      NOW,
    );
    expect(text).toContain(
      'wakes    signal last 5 s ago; webhook http://127.0.0.1:8787/webhook, last 1 m 1 s ago; ' +
        'wake stream https://inbox/stream connected for 2 m, none yet; notifications none yet\n',
    );
    const lost = status({
      wakes: [
        { ...source, name: 'webhook' },
        { ...source, name: 'wake stream', address: stream, lastAt: NOW - 1_000 },
      ],
    });
    expect(renderStatus(lost, NOW)).toContain(
      'wakes    webhook not listening; wake stream https://inbox/stream not connected, last 1 s ago\n',
    );
  });

  it('tells the session that goes on', () => {
    const session = {
      id: 's-1',
      conversation: '@a',
      turns: 5,
      startedAt: NOW - 720_000,
      contextTokens: 34_210,
    };
    expect(renderStatus(status({ session }), NOW)).toContain(
      'session  s-1 with @a, 5 turns, 12 m old, 34k tokens\n',
    );
    const fresh = { ...session, conversation: undefined, turns: 1, contextTokens: 0 };
    expect(renderStatus(status({ session: fresh }), NOW)).toContain('session  s-1, 1 turn, 12 m old\n');
  });

  it('knows a worker that has not looked yet, one whose looks fail, and one whose look is due', () => {
    const { look } = status();
    const none = { ...look, lastAt: undefined, lastSuccessAt: undefined, nextAt: undefined };
    expect(renderStatus(status({ look: none, until: undefined }), NOW)).toContain('look     none yet\n');
    const failing = { ...look, lastSuccessAt: NOW - 600_000, nextAt: NOW - 1 };
    expect(renderStatus(status({ health: 'inbox-down', look: failing }), NOW)).toContain(
      ', last success 10 m ago, next now;',
    );
    const agent = { version: undefined, pid: undefined, sessionId: undefined };
    expect(renderStatus(status({ agent }), NOW)).toContain('version not known yet, no process');
  });

  it('reads what came over the wire, where undefined fields are missing', () => {
    const wire = JSON.parse(JSON.stringify(status()));
    expect(renderStatus(wire, NOW)).toBe(renderStatus(status(), NOW));
  });
});
