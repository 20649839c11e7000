import { describe, expect, it } from 'vitest';
import { decide, type Situation } from '../../src/domain/decide.js';
import { blocking, type Hold, lift, NO_HOLDS, place } from '../../src/domain/hold.js';

const hold = (reason: Hold['reason'], until?: number): Hold => ({ reason, why: 'because', since: 0, until });
const calm: Situation = {
  now: 1_000,
  holds: NO_HOLDS,
  quiet: false,
  turns: 0,
  runSpent: undefined,
  maxTurns: 'unlimited',
};

describe('decide', () => {
  it('goes when nothing speaks against it', () => {
    expect(decide(calm)).toEqual({ kind: 'go' });
  });

  it('ends when quiet, when done, and at the iteration cap', () => {
    expect(decide({ ...calm, quiet: true })).toEqual({ kind: 'end', reason: 'quiet' });
    expect(decide({ ...calm, holds: place(NO_HOLDS, hold('done')) })).toEqual({
      kind: 'end',
      reason: 'done',
    });
    expect(decide({ ...calm, turns: 3, maxTurns: 3 })).toEqual({ kind: 'end', reason: 'max-iterations' });
    expect(decide({ ...calm, turns: 2, maxTurns: 3 }).kind).toBe('go');
  });

  it('waits for a hold until its end', () => {
    const holds = place(NO_HOLDS, hold('limited', 2_000));
    expect(decide({ ...calm, holds })).toMatchObject({ kind: 'wait', hold: { reason: 'limited' } });
    expect(decide({ ...calm, holds, now: 2_000 }).kind).toBe('go');
  });

  it('answers what is on disk although the inbox is down', () => {
    expect(decide({ ...calm, holds: place(NO_HOLDS, hold('inbox-down')) }).kind).toBe('go');
  });
});

describe('holds', () => {
  it('names the one that ends last', () => {
    const holds = place(place(NO_HOLDS, hold('limited', 5_000)), hold('paused'));
    expect(blocking(holds, 0)?.reason).toBe('paused');
    expect(blocking(lift(holds, 'paused'), 0)?.reason).toBe('limited');
  });

  it('keeps its beginning when renewed', () => {
    const holds = place(NO_HOLDS, { ...hold('limited', 5), since: 1 });
    expect(place(holds, { ...hold('limited', 9), since: 7 }).get('limited')).toMatchObject({
      since: 1,
      until: 9,
    });
  });
});
