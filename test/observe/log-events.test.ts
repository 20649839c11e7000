import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { logObserver } from '../../src/observe/log-events.js';
import { createLogger } from '../../src/observe/logger.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { began, capped, ended, hold, looked, lookFailed, rescued, sendFailed, sent } from './events.js';

function observed(level: string, events: readonly WorkerEvent[]): Record<string, unknown>[] {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const observer = logObserver(createLogger({ level, format: 'json', secrets: [], stream }));
  for (const event of events) observer.on(event);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const TURN: WorkerEvent[] = [
  { type: 'woken', kind: 'webhook' },
  began(),
  { type: 'agent-ready', sessionId: undefined, pid: 7 },
  {
    type: 'turn-progress',
    turnId: 'turn-1',
    progress: { sessionId: undefined, tool: 'Read', outputTokens: 3 },
  },
  ended(),
  sent(),
  looked(),
];

describe('logObserver', () => {
  it('writes one line a turn at info, with a sentence and flat fields', () => {
    const lines = observed('info', [...TURN, ...TURN]);
    expect(lines.filter((line) => line.event === 'turn-ended')).toHaveLength(2);
    // Besides them only that a new process is ready, once.
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatchObject({
      level: 'info',
      event: 'turn-ended',
      conversation: '@alice',
      verdict: 'answered',
      durationMs: 1234,
      costUsd: 0.003,
      modelCalls: 1,
      msg: 'answered @alice in 1.2 s for $0.003 with 1 model call',
    });
  });

  it('writes one line for a turn of several conversations, with the cost once', () => {
    const none = { costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 };
    const bob = { claimId: 'claim-2', conversation: '@bob' };
    const lines = observed('info', [
      began(),
      began(bob),
      ended(),
      ended({ ...bob, verdict: 'silent', usage: none }),
      began({ turnId: 'turn-2' }),
      ended({ turnId: 'turn-2' }),
    ]);
    expect(lines.map((line) => [line.level, line.msg])).toEqual([
      [
        'info',
        'one turn for 2 conversations in 1.2 s for $0.003 with 1 model call: answered @alice, silent @bob',
      ],
      ['info', 'answered @alice in 1.2 s for $0.003 with 1 model call'],
    ]);
    expect(lines[0]).toMatchObject({
      costUsd: 0.003,
      claims: [
        { conversation: '@alice', verdict: 'answered' },
        { conversation: '@bob', verdict: 'silent' },
      ],
    });
  });

  it('tells a look that found something, and whether a wake was missed', () => {
    const lines = observed('info', [looked(), looked({ fresh: 2, missed: true, wokenBy: ['timer'] })]);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.msg).toBe('looked, woken by the timer: 2 new messages; no wake had announced it');
    expect(lines[0]?.nextAt).toBe('1970-01-01T00:01:00.000Z');
  });

  it('says an outage when it begins and when it ends, not at every look', () => {
    const down = { reason: 'inbox-down', why: 'connection refused', since: 0, until: undefined } as const;
    const failed = lookFailed();
    const lines = observed('info', [
      { type: 'hold-began', hold: down },
      failed,
      failed,
      { type: 'hold-ended', hold: down, at: 3_600_000 },
      looked(),
    ]);
    expect(lines.map((line) => [line.level, line.msg])).toEqual([
      ['warn', 'on hold, inbox-down: connection refused'],
      ['info', 'hold over, inbox-down, after 1 h'],
    ]);
  });

  it('says a failure that no hold tells of once, until a look succeeds', () => {
    const failed = lookFailed({ outcome: 'rate-limited', text: 'slow down' });
    const lines = observed('info', [failed, failed, looked(), failed]);
    expect(lines.map((line) => line.level)).toEqual(['warn', 'warn']);
  });

  it('gives fields of a hold as times one can read', () => {
    const [line] = observed('info', [{ type: 'hold-began', hold }]);
    expect(line).toMatchObject({ reason: 'limited', until: '1970-01-01T00:01:01.000Z' });
  });

  it('warns of what a person should know', () => {
    const lines = observed('info', [
      ended({ verdict: 'dead', outcome: 'no sign of life for 600 s' }),
      sendFailed(),
      sendFailed(),
      sendFailed({ state: 'refused' }),
      { type: 'agent-not-ready', text: 'no gateway' },
      { type: 'agent-not-ready', text: 'no gateway' },
      rescued(),
      capped(),
      { type: 'notice', level: 'error', text: 'port taken' },
    ]);
    expect(lines.map((line) => line.level)).toEqual([...Array(6).fill('warn'), 'error']);
    expect(lines[0]?.msg).toMatch(/^gave up on @alice \(no sign of life for 600 s\)/);
    expect(lines[5]).toMatchObject({
      until: '1970-01-01T00:01:01.000Z',
      msg: '@bob waits until 1970-01-01T00:01:01.000Z: it was answered 30 times within 60 min (loop guard)',
    });
    expect(lines[6]).toMatchObject({ event: 'notice', msg: 'port taken' });
  });

  it('writes every event at trace, each with a sentence on one line', () => {
    const lines = observed('trace', [
      ...TURN,
      { type: 'started', inbox: 'agentdm', folder: '/a' },
      ended({ verdict: 'silent', conversation: '@x\n\u001b[2J' }),
      ended({ verdict: 'retry' }),
      capped({ verdict: 'dead', until: undefined }),
      { type: 'look-began', wokenBy: ['timer'] },
      { type: 'look-due', nextAt: 5_000 },
      { type: 'webhook-refused', reason: 'stale' },
      { type: 'stopping', how: 'drain', text: 'SIGTERM' },
      { type: 'stopped', text: 'done' },
    ]);
    expect(lines).toHaveLength(TURN.length + 9);
    for (const line of lines) expect(line.msg).toMatch(/^[^\p{Cc}]+$/u);
  });
});
