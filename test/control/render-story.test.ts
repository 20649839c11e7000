import { describe, expect, it } from 'vitest';
import { renderStory } from '../../src/control/render-story.js';
import { life, row, story, T, turn } from './story.js';

const NOW = T + 60_000;
const told = (over: Parameters<typeof story>[0] = {}, bodies = false): string =>
  renderStory(story(over), NOW, { bodies });

describe('the story of a message', () => {
  it('is told step by step with times, costs and the upstream id, and without a body', () => {
    expect(told()).toBe(
      [
        'message m1',
        '  from    @alice',
        '  state   answered',
        '  claim   c1',
        '  failed  1 attempt',
        '  error   overloaded',
        '  cost    $0.02 for 2 turns, 2 model calls',
        '',
        '  2026-11-30T12:00:00.000Z             came in, 13 characters',
        '  2026-11-30T12:00:00.050Z     +50 ms  claimed',
        '  2026-11-30T12:00:00.100Z    +100 ms  turn began, a prompt of 321 bytes, session s1',
        '  2026-11-30T12:00:02.000Z       +2 s  to be tried again: overloaded',
        '  2026-11-30T12:00:02.000Z       +2 s  turn recorded: failed: overloaded (1.9 s, 1 model call, 100 + 0 tokens, $0.01)',
        '  2026-11-30T12:00:05.000Z       +5 s  claimed again',
        '  2026-11-30T12:00:05.100Z     +5.1 s  turn began, a prompt of 321 bytes, session s1',
        '  2026-11-30T12:00:08.000Z       +8 s  reply to @alice queued as out-12, 14 characters',
        '  2026-11-30T12:00:08.000Z       +8 s  answered',
        '  2026-11-30T12:00:08.000Z       +8 s  turn recorded: completed (2.9 s, 1 model call, 100 + 0 tokens, $0.01)',
        '  2026-11-30T12:00:08.200Z     +8.2 s  out-12 sent, there it is u77',
      ].join('\n'),
    );
  });

  it('holds the bodies when asked, each line marked and made harmless', () => {
    const message = life({ text: 'one\nmessage m9\u001b[31m' });
    const text = told({ message }, true);
    expect(text).toContain('\n      | one\n      | message m9 [31m\n');
    expect(text).toContain('\n      | another secret\n');
    expect(text).not.toContain('\u001b');
    expect(told({ message })).not.toMatch(/one|secret/);
  });

  it('tells what has not gone out, and why', () => {
    const unsure = row({
      id: 13,
      state: 'unsure',
      sentAt: undefined,
      upstreamId: undefined,
      lastError: 'no answer',
    });
    const queued = row({ id: 14, state: 'queued', sentAt: undefined, attempts: 0 });
    const text = told({ sends: [unsure, queued] });
    expect(text).toContain('\n\n  out-13 is unsure after 1 try: no answer\n  out-14 is queued');
    expect(text).not.toContain('sent,');
  });

  it('of one that was given up and re-opened tells both', () => {
    const steps = [
      { state: 'waiting', at: T, note: undefined },
      { state: 'claimed', at: T + 50, note: undefined },
      { state: 'dead', at: T + 2_000, note: 'no' },
      { state: 'retry', at: T + 9_000, note: 'reopened by hand' },
    ] as const;
    const text = told({
      message: life({ state: 'retry', retryAt: T + 9_000, steps }),
      sends: [],
      turns: [turn()],
    });
    expect(text).toContain('  state   retry, due now');
    expect(text).toMatch(/given up: no\n[\s\S]*\+9 s {2}to be tried again: reopened by hand$/);
    const later = told({ message: life({ state: 'retry', retryAt: NOW + 90_000 }) });
    expect(later).toContain('retry, due in 1 m 30 s');
    const behind = told({ message: life({ state: 'retry', retryAt: undefined }) });
    expect(behind).toContain('retry, after what its conversation has in work');
  });

  it('tells a turn that runs from one that was cut off', () => {
    const { endedAt: _, verdict: __, outcome: ___, usage: ____, ...open } = turn();
    const running = told({ message: life({ state: 'claimed' }), turns: [open] });
    expect(running).toContain('session s1\n');
    expect(told({ turns: [open] })).toContain('session s1; it was cut off\n');
  });

  it('names who wrote it in a channel, and makes names of foreign origin harmless', () => {
    const message = life({ sender: '@bob\u001b[2J', conversation: '#ops' });
    expect(told({ message })).toContain('  from    @bob [2J in #ops\n');
  });
});
