import { describe, expect, it } from 'vitest';
import { renderMessages } from '../../src/control/render-messages.js';
import type { MessageLine } from '../../src/ports/reports.js';
import { NOW } from './status.js';

const line = (over: Partial<MessageLine>): MessageLine => ({
  id: 'm1',
  seq: 1,
  conversation: '@alice',
  sender: '@alice',
  kind: 'agent',
  chars: 12,
  state: 'waiting',
  claimId: undefined,
  attempts: 0,
  retryAt: undefined,
  lastError: undefined,
  spooledAt: NOW - 60_000,
  claimedAt: undefined,
  settledAt: undefined,
  repliedAt: undefined,
  ...over,
});

const shown = (...messages: MessageLine[]): string[] =>
  renderMessages({ messages, more: false }, NOW, 'inbox-worker').split('\n');

describe('renderMessages', () => {
  it('puts the last that came in at the bottom, in columns, and says what to type', () => {
    const answered = line({ id: 'long-id', seq: 7, state: 'answered', repliedAt: NOW - 57_700 });
    const text = renderMessages({ messages: [line({}), answered], more: true }, NOW, 'inbox-worker');
    expect(text).toBe(
      [
        'long-id  answered  @alice  1 m ago  12 characters  reply sent after 2.3 s',
        'm1       waiting   @alice  1 m ago  12 characters',
        '',
        'Older ones: add --before 7',
        'inbox-worker show ID    what happened to a message; the first characters of its id will do',
      ].join('\n'),
    );
  });

  it.each([
    [{ state: 'answered' }, /reply not sent yet$/],
    [{ state: 'dead', attempts: 5, lastError: 'too\nlong' }, /after 5 attempts: too long$/],
    [{ state: 'retry', attempts: 1, retryAt: NOW + 5_000 }, /due in 5 s, 1 failed attempt$/],
    [{ state: 'retry', attempts: 0, retryAt: NOW - 1 }, /due now, 0 failed attempts$/],
    [{ state: 'retry', attempts: 0 }, /after what its conversation has in work, /],
    [{ sender: '@bob', conversation: '#ops' }, /@bob in #ops/],
  ] as const)('tells of %o what its state does not say', (over, pattern) => {
    expect(shown(line(over))[0]).toMatch(pattern);
  });

  it('lets nothing of a stranger move the cursor', () => {
    const evil = '\u001b[2J\r\nroot# \u202e';
    const [first, second] = shown(line({ id: evil, sender: evil, lastError: evil, state: 'dead' }));
    expect(first).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(second).toBe('');
  });

  it('may be nothing', () => {
    expect(renderMessages({ messages: [], more: false }, NOW, 'x')).toBe('There is no such message.');
  });
});
