// Which holds are told and when: the rule alone, with instants handed in.
import { describe, expect, it } from 'vitest';
import type { HoldReason } from '../../src/domain/hold.js';
import { Outages, type ToldHolds } from '../../src/tell/outages.js';
import { ended, looked } from '../observe/events.js';

const RULES = {
  reasons: ['inbox-down', 'credit-exhausted', 'lease-lost'],
  afterMs: 60,
  intervalMs: 600,
} as const;

const holdOf = (reason: HoldReason, since = 0) => ({
  reason,
  why: `Why ${reason}.`,
  since,
  until: undefined,
});
const began = (reason: HoldReason, since = 0) =>
  ({ type: 'hold-began', hold: holdOf(reason, since) }) as const;
const over = (reason: HoldReason, at: number) => ({ type: 'hold-ended', hold: holdOf(reason), at }) as const;

function all(outages: Outages, now: number): string[] {
  const told: string[] = [];
  for (let news = outages.next(now); news; news = outages.next(now)) {
    told.push(`${news.type} ${'reason' in news ? news.reason : ''}`);
  }
  return told;
}

describe('a hold', () => {
  it('is told once when it has stood for a while, and once when it is over', () => {
    const outages = new Outages(RULES);
    outages.hear(began('inbox-down'), 0);
    expect(outages.nextAt).toBe(60);
    expect(outages.next(59)).toBeUndefined();
    expect(outages.next(60)).toEqual({
      type: 'hold.began',
      reason: 'inbox-down',
      why: 'Why inbox-down.',
      since: 0,
      until: undefined,
      untold: 0,
    });
    expect([outages.next(10_000), outages.nextAt]).toEqual([undefined, undefined]);
    outages.hear(over('inbox-down', 900), 900);
    expect(outages.nextAt).toBe(0);
    expect(outages.next(900)).toMatchObject({
      type: 'hold.ended',
      reason: 'inbox-down',
      since: 0,
      endedAt: 900,
    });
    expect(all(outages, 10_000)).toEqual([]);
  });

  it('that is short is not told, nor is its end', () => {
    const outages = new Outages(RULES);
    outages.hear(began('inbox-down'), 0);
    outages.hear(over('inbox-down', 59), 59);
    expect([outages.nextAt, all(outages, 10_000)]).toEqual([undefined, []]);
  });

  it('that nobody asked for is not told', () => {
    const outages = new Outages(RULES);
    outages.hear(began('limited'), 0);
    outages.hear(over('limited', 5_000), 5_000);
    expect([outages.nextAt, all(outages, 10_000)]).toEqual([undefined, []]);
  });

  it('that flaps is told at most once in the interval, with what was left out', () => {
    const outages = new Outages(RULES);
    const told: string[] = [];
    let untold = -1;
    // Two minutes of rules' time: 100 up, 20 down, and so on.
    for (let now = 0; now < 6_000; now += 1) {
      if (now % 120 === 0) outages.hear(began('inbox-down', now), now);
      if (now % 120 === 100) outages.hear(over('inbox-down', now), now);
      for (let news = outages.next(now); news; news = outages.next(now)) {
        told.push(`${now} ${news.type}`);
        if (news.type === 'hold.began') untold = news.untold;
      }
    }
    const beginnings = told.filter((line) => line.endsWith('began'));
    expect(beginnings.length).toBeGreaterThan(5);
    expect(beginnings.length).toBeLessThanOrEqual(10);
    expect(told.filter((line) => line.endsWith('ended'))).toHaveLength(beginnings.length);
    expect(untold).toBeGreaterThan(2);
  });

  it('that ends the run is told without a wait', () => {
    const outages = new Outages(RULES);
    outages.hear(began('lease-lost'), 7);
    expect(all(outages, 7)).toEqual(['hold.began lease-lost']);
    expect(outages.told).toEqual({});
  });

  it('waits for nobody else: two are told apart, an end before a beginning', () => {
    const outages = new Outages(RULES);
    outages.hear(began('inbox-down'), 0);
    outages.hear(began('credit-exhausted'), 30);
    expect(all(outages, 60)).toEqual(['hold.began inbox-down']);
    outages.hear(over('inbox-down', 95), 95);
    expect(all(outages, 95)).toEqual(['hold.ended inbox-down', 'hold.began credit-exhausted']);
  });
});

describe('after a restart', () => {
  const earlier: ToldHolds = {
    'credit-exhausted': { toldAt: 100, open: { why: 'No credit.', since: 40 } },
    'inbox-down': { toldAt: 100, open: { why: 'Down.', since: 40 } },
  };

  it('a hold that stands is told again, but not within the interval', () => {
    const outages = new Outages(RULES, earlier);
    outages.hear(began('inbox-down', 200), 200);
    expect(outages.nextAt).toBe(700);
    expect(all(outages, 699)).toEqual([]);
    expect(all(outages, 700)).toEqual(['hold.began inbox-down']);
    const late = new Outages(RULES, earlier);
    late.hear(began('inbox-down', 9_000), 9_000);
    expect(late.nextAt).toBe(9_060);
  });

  it('a hold that is gone is told to be over when something shows it', () => {
    const outages = new Outages(RULES, earlier);
    expect(all(outages, 9_000)).toEqual([]);
    outages.hear(looked(), 9_001);
    expect(outages.next(9_001)).toEqual({
      type: 'hold.ended',
      reason: 'inbox-down',
      why: 'Down.',
      since: 40,
      endedAt: 9_001,
    });
    outages.hear(ended({ outcome: 'failed (credit-exhausted): none' }), 9_002);
    expect(all(outages, 9_002)).toEqual([]);
    outages.hear(ended(), 9_003);
    expect(all(outages, 9_003)).toEqual(['hold.ended credit-exhausted']);
    outages.hear(looked(), 9_004);
    expect(all(outages, 9_004)).toEqual([]);
  });

  it('a hold that stands anew is not over by what other looks show', () => {
    const outages = new Outages(RULES, earlier);
    outages.hear(began('credit-exhausted', 150), 150);
    outages.hear(ended(), 151);
    expect(all(outages, 151)).toEqual([]);
    outages.hear(over('credit-exhausted', 160), 160);
    expect(all(outages, 160)).toEqual(['hold.ended credit-exhausted']);
  });

  it('remembers what the next run must know', () => {
    const outages = new Outages(RULES);
    outages.hear(began('inbox-down'), 0);
    outages.next(60);
    expect(outages.told).toEqual({
      'inbox-down': { toldAt: 60, open: { why: 'Why inbox-down.', since: 0 } },
    });
    outages.hear(over('inbox-down', 70), 70);
    expect(outages.told).toEqual({ 'inbox-down': { toldAt: 60, open: undefined } });
  });
});
