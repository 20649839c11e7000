import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { displayWidth } from '../../src/lib/display-width.js';
import { liveLine } from '../../src/observe/live-line.js';
import { LiveState } from '../../src/observe/live-state.js';
import { createLogger } from '../../src/observe/logger.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { Screen } from '../support/screen.js';
import { began, ended, hold, looked, lookFailed } from './events.js';

const NOW = 1_000_000;
const started: WorkerEvent = { type: 'started', inbox: 'agentdm', folder: '/a' };
const ready: WorkerEvent = { type: 'agent-ready', sessionId: undefined, pid: 7 };
const frame = (tool: string | undefined, outputTokens: number, turnId = 'turn-1'): WorkerEvent => ({
  type: 'turn-progress',
  turnId,
  progress: { sessionId: 's', tool, outputTokens },
});

describe('the words', () => {
  const told = (events: readonly WorkerEvent[], now = NOW): string => {
    const state = new LiveState();
    for (const event of events) state.follow(event, NOW);
    return state.line(now);
  };

  it.each<[line: string, events: WorkerEvent[], later?: number]>([
    ['starting', []],
    ['standing by: for pid 7', [{ type: 'standing-by', text: 'for pid 7' }]],
    ['starting Claude Code', [started]],
    ['looking into the inbox', [started, ready, { type: 'look-began', wokenBy: ['timer'] }]],
    ['idle: next look in 12 s', [started, ready, looked({ nextAt: NOW + 12_400 })]],
    ['idle: next look in 1 m 30 s', [started, ready, looked({ nextAt: NOW + 90_000 })]],
    ['idle: next look in 1 s', [started, ready, looked({ nextAt: NOW + 300 })]],
    ['idle: next look now', [started, ready, looked({ nextAt: NOW + 12_000 })], 13_000],
    [
      'idle: next look in 5 s',
      [started, ready, looked({ nextAt: NOW + 60_000 }), { type: 'look-due', nextAt: NOW + 5_000 }],
    ],
    ['idle: waiting for a message', [started, ready, looked({ nextAt: Number.POSITIVE_INFINITY })]],
    ['working on @alice: 0 tokens, 0 s', [started, ready, began()]],
    [
      'working on @alice: tool send_dm, 1.2k tokens, 14 s',
      [started, ready, began(), frame('mcp__agentdm__send_dm', 1_234)],
      14_200,
    ],
    ['working on @alice: 1 token, 2 m 5 s', [started, ready, began(), frame(undefined, 1)], 125_000],
    [
      'working on @alice and 1 more: 0 tokens, 0 s',
      [started, ready, began(), began({ claimId: 'claim-2', conversation: '@bob' })],
    ],
    [
      'working on @alice: 0 tokens, 0 s; 1 other turn',
      [started, ready, began(), began({ turnId: 'turn-2', conversation: '@bob' })],
    ],
    [
      'idle: next look in 9 s · 1 turn, $0.003',
      [started, ready, looked({ nextAt: NOW + 9_000 }), began(), ended()],
    ],
    [
      'on hold, limited, tried again in 1 m: The limit resets at noon.',
      [started, ready, { type: 'hold-began', hold: { ...hold, until: NOW + 60_000 } }],
    ],
    [
      'on hold, limited, trying again: The limit resets at noon.',
      [started, ready, { type: 'hold-began', hold: { ...hold, until: NOW + 1 } }],
      2,
    ],
    [
      'on hold, paused: by hand',
      [
        started,
        { type: 'hold-began', hold: { reason: 'paused', why: 'by hand', since: 0, until: undefined } },
      ],
    ],
    [
      'on hold, inbox-down: refused',
      [
        started,
        ready,
        { type: 'hold-began', hold: { reason: 'inbox-down', why: 'refused', since: 0, until: undefined } },
        lookFailed(),
      ],
    ],
    [
      'idle: waiting for a message',
      [started, ready, { type: 'hold-began', hold }, { type: 'hold-ended', hold, at: 1 }],
    ],
    [
      'stopping: working on @alice: 0 tokens, 0 s',
      [started, began(), { type: 'stopping', how: 'drain', text: '' }],
    ],
    ['stopping: ending Claude Code', [started, ready, { type: 'stopping', how: 'drain', text: '' }]],
    ['', [started, { type: 'stopped', text: '' }]],
  ])('are %j', (line, events, later = 0) => {
    expect(told(events, NOW + later)).toBe(line);
  });

  it('carry no control of a stranger', () => {
    const name = '@\u001b[2Jevil\n\u202e\u0007';
    const line = told([started, ready, began({ conversation: name }), frame(`\u001b]0;x\u0007${name}`, 1)]);
    expect(line).toMatch(/^[^\p{Cc}\u202e]+$/u);
  });
});

describe('on a terminal', () => {
  let screen: Screen;
  let mine: boolean;
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    screen = new Screen(60);
    mine = true;
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const shown = (colour = false) => liveLine({ terminal: screen, colour, ours: () => mine });
  const idle = (line: { on(event: WorkerEvent): void }, nextAt = NOW + 12_000): void => {
    for (const event of [started, ready, looked({ nextAt })]) line.on(event);
  };

  it('counts down by the second', () => {
    const line = shown();
    idle(line);
    vi.advanceTimersByTime(100);
    expect(screen.bottom).toBe('idle: next look in 12 s');
    vi.advanceTimersByTime(3_000);
    expect(screen.bottom).toBe('idle: next look in 9 s');
    line.end();
    expect(screen.rows).toEqual(['']);
  });

  it('is drawn at most ten times a second, however fast tokens stream', () => {
    const line = shown();
    idle(line);
    line.on(began());
    vi.advanceTimersByTime(100);
    const before = screen.writes.length;
    for (let ms = 0; ms < 2_000; ms += 5) {
      line.on(frame('Bash', ms));
      vi.advanceTimersByTime(5);
    }
    // Both ends of two seconds count.
    expect(screen.writes.length - before).toBeLessThanOrEqual(21);
    expect(screen.writes.length - before).toBeGreaterThan(10);
    vi.advanceTimersByTime(100);
    expect(screen.bottom).toBe('working on @alice: tool Bash, 2k tokens, 2 s');
  });

  it('writes nothing while there is nothing new to say', () => {
    const line = shown();
    line.on(started);
    line.on(ready);
    vi.advanceTimersByTime(1_000);
    const before = screen.writes.length;
    vi.advanceTimersByTime(60_000);
    expect(screen.writes.length).toBe(before);
    line.end();
  });

  it('lets the log go on above it, each line whole', () => {
    const line = shown();
    idle(line);
    vi.advanceTimersByTime(100);
    const log = createLogger({ level: 'info', format: 'auto', secrets: [], stream: line.stream });
    log.info('the first');
    log.warn({ a: 1 }, 'the second is much longer than the terminal is wide, and is broken into two rows');
    line.stream.write('without an end');
    expect(screen.lines.map((text) => text.replace(/^.*?: the/, 'the'))).toEqual([
      expect.stringContaining('the first'),
      expect.stringContaining('the second is much longer than the terminal is wide, and is broken'),
      'without an end',
      'idle: next look in 12 s',
    ]);
    line.end();
    line.stream.write('after the end\n');
    expect(screen.lines.slice(-2)).toEqual(['after the end', '']);
  });

  it('is cut to what a narrow terminal has room for, wide letters too', () => {
    screen = new Screen(20);
    const line = shown();
    idle(line);
    line.on(began({ conversation: '@日本語のとても長い名前' }));
    vi.advanceTimersByTime(100);
    expect(screen.rows).toEqual(['working on @日本語…']);
    screen.resize(3);
    expect(screen.rows).toEqual(['w…']);
    screen.resize(1);
    expect(screen.rows).toEqual(['']);
    screen.resize(60);
    vi.advanceTimersByTime(1_000);
    expect(screen.rows).toEqual(['working on @日本語のとても長い名前: 0 tokens, 1 s']);
  });

  it('goes when somebody else is to have the terminal, and comes back', () => {
    const line = shown();
    idle(line);
    vi.advanceTimersByTime(100);
    line.pause();
    expect(screen.rows).toEqual(['']);
    line.on(began());
    vi.advanceTimersByTime(5_000);
    expect(screen.rows).toEqual(['']);
    line.resume();
    expect(screen.bottom).toContain('working on @alice');
    // In the background: the log may be written there, the line may not.
    line.pause();
    mine = false;
    line.resume();
    vi.advanceTimersByTime(5_000);
    line.stream.write('a line of the log\n');
    expect(screen.rows).toEqual(['a line of the log', '']);
    const before = screen.writes.length;
    line.end();
    expect(screen.writes.length).toBe(before);
  });

  it('is dimmed only where there are colours, and leaves none behind', () => {
    const line = shown(true);
    idle(line);
    vi.advanceTimersByTime(100);
    expect(screen.writes.join('')).toContain('\u001b[2midle: next look in 12 s\u001b[22m');
    line.end();
    screen = new Screen();
    const plain = shown();
    idle(plain);
    vi.advanceTimersByTime(100);
    expect(screen.writes.join('')).not.toMatch(/\[\d*m/);
    plain.end();
  });

  it('leaves no listener and no timer behind', () => {
    const line = shown();
    idle(line);
    vi.advanceTimersByTime(500);
    line.end();
    line.end();
    line.on(began());
    expect([screen.listeners, vi.getTimerCount()]).toEqual([0, 0]);
    line.resume();
    vi.advanceTimersByTime(5_000);
    expect(screen.rows).toEqual(['']);
  });

  it('never tears a line of the log, whatever comes in whatever order', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('log' as const), text: fc.string({ unit: 'grapheme', maxLength: 60 }) }),
      fc.record({ do: fc.constant('event' as const), n: fc.nat(9_999), tool: fc.boolean() }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(2_000) }),
      fc.record({ do: fc.constant('resize' as const), columns: fc.integer({ min: 4, max: 100 }) }),
      fc.record({ do: fc.constant('suspend' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        screen = new Screen(40);
        const line = shown();
        idle(line);
        line.on(began({ conversation: '@日本' }));
        const logged: string[] = [];
        for (const one of steps) {
          if (one.do === 'log') {
            // As the log leaves them: without controls, and with at least something to see.
            const text = `> ${one.text.replace(/[\p{C}\p{Z}\p{M}]/gu, ' ')}<`;
            logged.push(text);
            line.stream.write(`${text}\n`);
          } else if (one.do === 'event') line.on(frame(one.tool ? 'Bash' : undefined, one.n));
          else if (one.do === 'wait') vi.advanceTimersByTime(one.ms);
          else if (one.do === 'resize') screen.resize(one.columns);
          else {
            line.pause();
            expect(screen.bottom).toBe('');
            line.resume();
          }
          expect(screen.lines.slice(0, logged.length)).toEqual(logged);
          expect(screen.lines.length).toBe(logged.length + 1);
          expect(displayWidth(screen.bottom)).toBeLessThan(screen.columns);
        }
        line.end();
        expect(screen.lines).toEqual([...logged, '']);
      }),
      { numRuns: 300 },
    );
  });
});
