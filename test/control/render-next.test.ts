// What would be done next, for a person to read.
import { expect, it } from 'vitest';
import { renderNext } from '../../src/control/render-next.js';
import type { UpcomingTurn } from '../../src/domain/preview.js';
import { NOW, preview } from './status.js';

const turn = (over: Partial<UpcomingTurn> = {}): UpcomingTurn => ({
  conversation: '@alice',
  claimId: undefined,
  messages: [
    { id: 'm1', sender: '@alice', chars: 12, spooledAt: NOW - 3_000 },
    { id: 'm2\u001b[2J', sender: '@alice', chars: 7, spooledAt: NOW - 1_000 },
  ],
  attempt: 1,
  maxAttempts: 5,
  lastError: undefined,
  dueAt: undefined,
  cap: undefined,
  prompt: 'full',
  sessionId: undefined,
  ...over,
});

it('says that nobody waits, and when it looks next', () => {
  expect(renderNext(preview(), NOW)).toBe(
    'nothing to do: Nobody waits for an answer. (goes on in 57 s)\n  next look in 57 s',
  );
  expect(renderNext(preview({ until: undefined, nextLookAt: undefined }), NOW)).toBe(
    'nothing to do: Nobody waits for an answer.',
  );
});

it('tells whom it answers, with which prompt, in which session, and who comes after', () => {
  const text = renderNext(
    preview({
      does: 'answer',
      why: 'Answers @alice.',
      until: undefined,
      next: [
        turn({ sessionId: 's-1' }),
        turn({ conversation: '@bob', cap: { kind: 'rest', why: 'loop guard', until: NOW + 60_000 } }),
        turn({
          conversation: '@carol',
          claimId: 'c1',
          attempt: 2,
          lastError: 'it failed',
          dueAt: NOW + 8_000,
          prompt: 'continue',
          sessionId: 's-2',
        }),
      ],
      more: true,
      nextLookAt: NOW,
    }),
    NOW,
  );
  expect(text.split('\n')).toEqual([
    'now: Answers @alice.',
    '  1. @alice: 2 messages, the oldest for 3 s',
    '     m1, m2 [2J',
    '     the prompt in full, in session s-1',
    '  2. @bob: 2 messages, the oldest for 3 s',
    '     m1, m2 [2J',
    '     the prompt in full, in a new session',
    '     rests: loop guard (goes on in 1 m)',
    '  3. @carol: 2 messages, the oldest for 3 s, attempt 2 of 5, due in 8 s',
    '     m1, m2 [2J',
    '     a short prompt that goes on, in session s-2',
    '     before: it failed',
    '  … and more',
    '  next look now',
  ]);
});

it('tells what holds it, also behind a turn, and turns that are shared', () => {
  const hold = { reason: 'paused', why: 'Paused.', since: 0, until: undefined } as const;
  expect(renderNext(preview({ does: 'hold', why: hold.why, until: undefined, hold }), NOW)).toMatch(
    /^held: Paused\.\n/,
  );
  const busy = preview({ does: 'turn', why: 'Answering @a.', until: undefined, hold });
  expect(renderNext(busy, NOW)).toMatch(/^busy: Answering @a\.\n {2}then held: paused: Paused\.\n/);
  const shared = preview({ does: 'answer', together: true, next: [turn(), turn({ conversation: '@bob' })] });
  expect(renderNext(shared, NOW)).toContain('  2 conversations share one turn (pull_scope all)\n');
});

it('reads what came over the wire', () => {
  const all = preview({ next: [turn()] });
  expect(renderNext(JSON.parse(JSON.stringify(all)), NOW)).toBe(renderNext(all, NOW));
});
