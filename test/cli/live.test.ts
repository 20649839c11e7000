// When `run` shows its live line, and that it gives the signals back.
import { afterEach, describe, expect, it } from 'vitest';
import { liveLineFor } from '../../src/cli/live.js';
import { Screen } from '../support/screen.js';

type Settings = Parameters<typeof liveLineFor>[0];

const shown: NonNullable<ReturnType<typeof liveLineFor>>[] = [];
afterEach(() => {
  for (const line of shown.splice(0)) line.release();
});

function asked(env: NodeJS.ProcessEnv, settings: Partial<Settings> = {}, isTTY = true): boolean {
  const stream = Object.assign(new Screen(), { isTTY }) as unknown as NodeJS.WriteStream;
  const line = liveLineFor({ liveLine: 'auto', logFormat: 'auto', ...settings }, stream, env);
  if (line) shown.push(line);
  return line !== undefined;
}

describe('the live line', () => {
  it('is shown on a terminal that somebody may look at', () => {
    expect(asked({ TERM: 'xterm' })).toBe(true);
    expect(asked({ CI: '', NO_COLOR: '1' })).toBe(true);
    expect(asked({ CI: 'false' }, { logFormat: 'pretty' })).toBe(true);
  });

  it('is not shown elsewhere', () => {
    expect(asked({}, {}, false)).toBe(false);
    expect(asked({}, { logFormat: 'pretty' }, false)).toBe(false);
    expect(asked({ CI: 'true' })).toBe(false);
    expect(asked({ CI: '1' })).toBe(false);
    expect(asked({ TERM: 'dumb' })).toBe(false);
    expect(asked({}, { liveLine: 'off' })).toBe(false);
    // Whoever wants JSON from a terminal records it.
    expect(asked({}, { logFormat: 'json' })).toBe(false);
  });

  it('takes signals only while it is there', () => {
    const counts = () =>
      ['SIGTSTP', 'SIGCONT', 'exit'].map((name) => process.listenerCount(name as NodeJS.Signals));
    const before = counts();
    expect(asked({})).toBe(true);
    expect(counts()).toEqual(before.map((count) => count + 1));
    shown[0]?.release();
    expect(counts()).toEqual(before);
  });
});
