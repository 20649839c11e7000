import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { progressTracker } from '../../src/observe/progress.js';
import { progressFileObserver } from '../../src/observe/progress-file.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { began, ended, hold, looked } from './events.js';

const started: WorkerEvent = { type: 'started', inbox: 'agentdm', folder: '/a' };
const frame = (tool: string | undefined, outputTokens: number): WorkerEvent => ({
  type: 'turn-progress',
  turnId: 'turn-1',
  progress: { sessionId: undefined, tool, outputTokens },
});

describe('progressTracker', () => {
  it('follows the worker through a turn and a hold', () => {
    const tracker = progressTracker(0);
    const states = [
      started,
      looked({ fresh: 1 }),
      began(),
      { type: 'hold-began', hold } as const,
      ended(),
      { type: 'hold-ended', hold, at: 5000 } as const,
      { type: 'stopping', how: 'drain', text: '' } as const,
      { type: 'stopped', text: '' } as const,
    ].map((event) => {
      tracker.follow(event, 1000);
      return tracker.snapshot().state;
    });
    expect(states).toEqual(['idle', 'idle', 'working', 'working', 'on hold', 'idle', 'stopping', 'stopped']);
    expect(tracker.snapshot()).toEqual({
      state: 'stopped',
      updatedAt: '1970-01-01T00:00:01.000Z',
      startedAt: '1970-01-01T00:00:00.000Z',
      holds: [],
      lastTurn: {
        conversation: '@alice',
        verdict: 'answered',
        endedAt: '1970-01-01T00:00:01.000Z',
        seconds: 1.234,
        costUsd: 0.003,
      },
      look: { at: '1970-01-01T00:00:01.000Z', newMessages: 1, nextAt: '1970-01-01T00:01:00.000Z' },
      totals: { turns: 1, costUsd: 0.003, modelCalls: 1 },
    });
  });

  it('asks to be written when the tool changes, not at every token', () => {
    const tracker = progressTracker(0);
    expect(tracker.follow(frame('Read', 1), 0)).toBe(false);
    tracker.follow(began(), 0);
    expect(tracker.follow(frame(undefined, 1), 0)).toBe(false);
    expect(tracker.follow(frame('Read', 2), 0)).toBe(true);
    expect(tracker.follow(frame('Read', 3), 0)).toBe(false);
    expect(tracker.snapshot().turn).toMatchObject({ tool: 'Read', outputTokens: 3 });
    expect(tracker.follow(frame(undefined, 4), 0)).toBe(true);
    expect(tracker.snapshot().turn).not.toHaveProperty('tool');
  });

  it('is no news what it does not show', () => {
    const tracker = progressTracker(0);
    expect(tracker.follow({ type: 'woken', kind: 'timer' }, 0)).toBe(false);
    expect(tracker.follow({ type: 'hold-ended', hold, at: 0 }, 0)).toBe(false);
    expect(tracker.follow(looked({ nextAt: Infinity }), 0)).toBe(true);
    expect(tracker.snapshot().look).toEqual({ at: '1970-01-01T00:00:00.000Z', newMessages: 0 });
  });

  it('tells when the next look is, also where it was moved', () => {
    const tracker = progressTracker(0);
    expect(tracker.follow({ type: 'look-due', nextAt: 5_000 }, 0)).toBe(false);
    tracker.follow(looked(), 1_000);
    expect(tracker.follow({ type: 'look-due', nextAt: 5_000 }, 2_000)).toBe(true);
    expect(tracker.snapshot().look).toEqual({
      at: '1970-01-01T00:00:01.000Z',
      newMessages: 0,
      nextAt: '1970-01-01T00:00:05.000Z',
    });
  });
});

describe('progressFileObserver', () => {
  let root: string;
  let folder: string;
  let troubles: string[];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'progress-'));
    folder = join(root, '.orchestrator');
    troubles = [];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const observer = () =>
    progressFileObserver({ folder, clock: { now: () => 0 }, onTrouble: (text) => troubles.push(text) });
  const read = async () => JSON.parse(await readFile(join(folder, 'progress.json'), 'utf8'));

  it('holds the last state after a burst, whole, with nothing left beside it', async () => {
    const progress = observer();
    progress.on(started);
    for (let i = 0; i < 50; i++) {
      progress.on(began({ turnId: `${i}` }));
      progress.on(ended({ turnId: `${i}` }));
    }
    progress.on(began({ conversation: '@bob' }));
    await progress.flush();
    expect(await read()).toMatchObject({
      state: 'working',
      turn: { conversation: '@bob' },
      totals: { turns: 50 },
    });
    expect(await readdir(folder)).toEqual(['progress.json']);
  });

  it('stays small, however long the names of others and the reasons are', async () => {
    const progress = observer();
    const long = 'x'.repeat(100_000);
    progress.on(began({ conversation: long }));
    progress.on(frame(long, 1));
    progress.on({ type: 'hold-began', hold: { reason: 'limited', why: long, since: 0, until: undefined } });
    progress.on(ended({ conversation: long }));
    progress.on(began({ conversation: long }));
    await progress.flush();
    expect((await stat(join(folder, 'progress.json'))).size).toBeLessThan(4_000);
  });

  it('begins with what a killed worker left half-made', async () => {
    await mkdir(folder);
    const left = join(folder, 'progress.json.7.0a1b2c3d.tmp');
    await writeFile(left, '{"state":"wor');
    await utimes(left, 0, 0);
    const progress = observer();
    progress.on(started);
    await progress.flush();
    expect(await readdir(folder)).toEqual(['progress.json']);
  });

  it('reports a failing disk once, and writes again when it can', async () => {
    await writeFile(folder, '');
    const progress = observer();
    for (let i = 0; i < 3; i++) {
      progress.on(began());
      await progress.flush();
    }
    expect(troubles).toHaveLength(1);
    await rm(folder);
    progress.on(started);
    await progress.flush();
    expect(await read()).toMatchObject({ state: 'working' });
  });
});
