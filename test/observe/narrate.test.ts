import { describe, expect, it } from 'vitest';
import { narrator } from '../../src/observe/narrate.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { began, ended, hold, looked, lookFailed, sent } from './events.js';

function told(events: readonly WorkerEvent[], options = {}): string[] {
  const lines: string[] = [];
  const observer = narrator((line) => lines.push(line), options);
  for (const event of events) observer.on(event);
  return lines;
}

describe('narrator', () => {
  it('tells no sum where nothing costs anything', () => {
    expect(told([ended(), ended({ verdict: 'dead' })], { free: true })).toEqual([
      'answered @alice in 1.2 s with 1 model call',
      expect.stringMatching(/^gave up on @alice .* in 1\.2 s with 1 model call$/),
    ]);
  });

  it('tells a message from its wake to its answer', () => {
    expect(
      told([
        { type: 'agent-ready', sessionId: undefined, pid: 4 },
        { type: 'woken', kind: 'webhook' },
        { type: 'woken', kind: 'stream' },
        looked({ fresh: 1, wokenBy: ['webhook', 'stream'] }),
        { type: 'agent-ready', sessionId: 's', pid: 4 },
        began(),
        {
          type: 'turn-progress',
          turnId: 't',
          progress: { sessionId: 's', tool: undefined, outputTokens: 1 },
        },
        ended(),
        sent(),
        sent({ part: 1 }),
      ]),
    ).toEqual([
      'Claude Code is ready',
      'woken by a webhook and the wake stream: 1 new message',
      'Claude is answering a message from @alice',
      'answered @alice in 1.2 s for $0.003 with 1 model call',
      'sent to @alice',
      'sent to @alice (part 2)',
    ]);
  });

  it('is quiet while nothing happens, unless asked', () => {
    const nothing: WorkerEvent[] = [{ type: 'woken', kind: 'timer' }, looked()];
    expect(told(nothing)).toEqual([]);
    expect(told(nothing, { quietLooks: true })).toEqual(['woken by the timer', 'looked: nothing new']);
  });

  it('tells holds, troubles and the end, and repeats no failure', () => {
    const failed = lookFailed({ text: 'refused' });
    expect(
      told([
        { type: 'hold-began', hold },
        failed,
        failed,
        { type: 'hold-ended', hold, at: 3000 },
        began({ attempt: 2, messages: 3 }),
        { type: 'notice', level: 'warn', text: 'port taken' },
        { type: 'stopped', text: 'bye' },
      ]),
    ).toEqual([
      'waiting (limited): The limit resets at noon.',
      'could not look (down): refused',
      'going on after 2 s (limited)',
      'Claude takes up again 3 messages from @alice',
      'warning: port taken',
      'stopped: bye',
    ]);
  });

  it('prints no controls that a name brings along', () => {
    expect(told([began({ conversation: '@a\n\u001b[2J' })])).toEqual([
      'Claude is answering a message from @a [2J',
    ]);
  });
});
