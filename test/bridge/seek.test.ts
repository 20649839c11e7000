import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSeeker } from '../../src/bridge/seek.js';
import { Trouble } from '../../src/bridge/trouble.js';

const away = new Trouble({ kind: 'lost', sentence: 'away' });
const refused = new Trouble({ kind: 'refused', sentence: 'no' });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function seeking(outcomes: (Trouble | undefined)[]) {
  const at: number[] = [];
  const begin = Date.now();
  const seeker = createSeeker({
    firstMs: 1_000,
    mostMs: 4_000,
    refusedMs: 60_000,
    async attempt() {
      at.push(Date.now() - begin);
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
    },
  });
  return { seeker, at };
}

describe('an inbox that is away', () => {
  it('is tried at growing distances until it is back, by one seeker only', async () => {
    const { seeker, at } = seeking([away, away, away, away, undefined]);
    seeker.start(away);
    seeker.start(away);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(at).toEqual([1_000, 3_000, 7_000, 11_000, 15_000]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is tried slowly while it refuses the key', async () => {
    const { seeker, at } = seeking([refused, undefined]);
    seeker.start(refused);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(at).toEqual([60_000, 120_000]);
  });

  it('is no longer tried after the end', async () => {
    const { seeker, at } = seeking([away]);
    seeker.start(away);
    seeker.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(at).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
