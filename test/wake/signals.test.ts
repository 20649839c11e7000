import { describe, expect, it } from 'vitest';
import { processSignals } from '../../src/wake/index.js';

/** A latch as `main.ts` keeps one: what came before anybody listened is told to the first who does. */
function latch() {
  let pending = false;
  let listener: (() => void) | undefined;
  return {
    onSignal: (_name: 'SIGUSR1', heard: () => void) => {
      listener = heard;
      if (pending) heard();
      pending = false;
    },
    signal: () => {
      if (listener) listener();
      else pending = true;
    },
  };
}

describe('processSignals', () => {
  it('wakes at each signal, counting one that came before the start', async () => {
    const wakes: string[] = [];
    const signals = latch();
    signals.signal();
    const source = processSignals(signals);
    await source.start((kind) => wakes.push(kind));
    expect(wakes).toEqual(['signal']);
    signals.signal();
    expect(wakes).toEqual(['signal', 'signal']);
    expect(source.connected()).toBe(false);
  });

  it('wakes nobody after its stop', async () => {
    const wakes: string[] = [];
    const signals = latch();
    const source = processSignals(signals);
    await source.start((kind) => wakes.push(kind));
    await source.stop();
    signals.signal();
    expect(wakes).toEqual([]);
  });
});
