import { describe, expect, it } from 'vitest';
import { renderDead } from '../../src/control/render-dead.js';
import { renderTurns } from '../../src/control/render-turns.js';
import type { DeadList } from '../../src/control/wire.js';
import { T, turn } from './story.js';

const list: DeadList = {
  messages: [
    {
      id: 'm2',
      conversation: '#ops',
      sender: '@bob',
      chars: 9,
      claimId: 'c2',
      attempts: 5,
      lastError: 'too\nlong',
      spooledAt: T,
      diedAt: T + 60_000,
    },
  ],
  sends: [
    {
      id: 'out-12',
      to: '@alice',
      kind: 'reply',
      part: 1,
      chars: 20,
      replyToId: 'm1',
      attempts: 1,
      lastError: 'no answer',
      queuedAt: T,
    },
  ],
  total: { messages: 3, sends: 1 },
};

describe('what is dead', () => {
  it('is listed with what to type next', () => {
    expect(renderDead(list, T + 120_000, 'inbox-worker')).toBe(
      [
        '3 messages given up, the newest 1:',
        '  m2  from @bob in #ops, 1 m ago after 5 attempts: too long',
        '',
        '1 send that may or may not have arrived:',
        '  out-12  reply to @alice, part 2, 2 m ago, answers m1: no answer',
        '',
        'inbox-worker show ID    what happened to a message',
        'inbox-worker retry ID   try a message again; send an out-… again',
        'inbox-worker drop ID    let it rest',
      ].join('\n'),
    );
  });

  it('may be nothing', () => {
    const nothing = { messages: [], sends: [], total: { messages: 0, sends: 0 } };
    expect(renderDead(nothing, T, 'x')).toBe('No message is dead, and no send is unsure.');
    const sendsOnly = renderDead({ ...list, messages: [], total: { messages: 0, sends: 1 } }, T, 'x');
    expect(sendsOnly).toMatch(/^1 send that may/);
  });
});

describe('the ledger', () => {
  it('shows the oldest first, in columns, with their sum', () => {
    const {
      endedAt: _,
      verdict: __,
      outcome: ___,
      usage: ____,
      ...open
    } = turn({
      conversation: '@bartholomew',
      startedAt: T + 9_000,
    });
    const mail = { messages: ['m1\u001b[2J', 'm2', 'm3'] };
    expect(
      renderTurns([
        { ...open, messages: [] },
        { ...turn(), ...mail },
      ]),
    ).toBe(
      [
        '2026-11-30T12:00:00.100Z  @alice        m1 [2J +2  retry   1.9 s  1 call  100 + 0 tokens  $0.01  failed: overloaded',
        '2026-11-30T12:00:09.000Z  @bartholomew             no end',
        '2 turns, 1 model call, $0.01',
      ].join('\n'),
    );
  });

  it('may be empty', () => {
    expect(renderTurns([])).toBe('No turn has been run yet.');
  });
});
