// How a worker stands: what a person is told, and what a load balancer is.
import { describe, expect, it } from 'vitest';
import { type HealthFacts, judgeFitness, judgeHealth } from '../../src/domain/health.js';
import { type HoldReason, NO_HOLDS, place } from '../../src/domain/hold.js';

const NOW = 1_000_000_000;
const MINUTE = 60_000;

const facts = (over: Partial<HealthFacts> = {}): HealthFacts => ({
  now: NOW,
  holds: NO_HOLDS,
  startedAt: NOW - 60 * MINUTE,
  stopping: false,
  look: { lastAt: NOW - MINUTE, lastSuccessAt: NOW - MINUTE, nextAt: NOW + MINUTE },
  turn: undefined,
  silenceMs: MINUTE,
  ...over,
});

const held = (...reasons: HoldReason[]) =>
  reasons.reduce(
    (all, reason) => place(all, { reason, why: `${reason}.`, since: 0, until: undefined }),
    NO_HOLDS,
  );

const turn = (silentMs: number) => ({ conversation: '@alice', lastFrameAt: NOW - silentMs });

describe('a person is told', () => {
  it('that it waits, and until when', () => {
    expect(judgeHealth(facts())).toEqual({
      health: 'idle',
      why: 'Waiting for a message.',
      until: NOW + MINUTE,
    });
  });

  it('of a turn before a hold, and that it is stuck only at twice the limit', () => {
    const holds = held('paused');
    expect(judgeHealth(facts({ turn: turn(2 * MINUTE), holds })).health).toBe('working');
    expect(judgeHealth(facts({ turn: turn(2 * MINUTE + 1), holds })).health).toBe('stuck');
  });

  it('of the hold that keeps turns from starting before one that only keeps it from looking', () => {
    expect(judgeHealth(facts({ holds: held('inbox-down', 'paused') })).health).toBe('paused');
    expect(judgeHealth(facts({ holds: held('inbox-down') })).health).toBe('inbox-down');
  });

  it('of no hold whose time is up', () => {
    const holds = place(NO_HOLDS, { reason: 'limited', why: 'Limit.', since: 0, until: NOW });
    expect(judgeHealth(facts({ holds })).health).toBe('idle');
    const lasting = place(NO_HOLDS, { reason: 'limited', why: 'Limit.', since: 0, until: NOW + 1 });
    expect(judgeHealth(facts({ holds: lasting }))).toMatchObject({ health: 'limited', until: NOW + 1 });
  });

  it('that it is deaf when no look has succeeded for ten minutes beyond its sleep', () => {
    const look = { lastAt: NOW - MINUTE, lastSuccessAt: NOW - 13 * MINUTE, nextAt: NOW + MINUTE };
    expect(judgeHealth(facts({ look })).health).toBe('deaf');
    expect(judgeHealth(facts({ look: { ...look, lastSuccessAt: NOW - 12 * MINUTE } })).health).toBe('idle');
    const never = { lastAt: undefined, lastSuccessAt: undefined, nextAt: undefined };
    expect(judgeHealth(facts({ look: never })).health).toBe('deaf');
    expect(judgeHealth(facts({ look: never, startedAt: NOW - MINUTE })).health).toBe('idle');
  });
});

describe('a load balancer is told', () => {
  it.each([
    ['ok', {}],
    ['ok', { turn: turn(0) }],
    ['paused', { holds: held('paused') }],
    ['limited', { holds: held('limited') }],
    ['over-budget', { holds: held('over-budget') }],
    ['ok', { turn: turn(0), holds: held('paused') }],
  ] as [string, Partial<HealthFacts>][])('to count on it: %s, %j', (status, over) => {
    expect(judgeFitness(facts(over))).toEqual({ ok: true, status });
  });

  it.each([
    ...(
      [
        'agent-unauthorised',
        'agent-not-ready',
        'credit-exhausted',
        'inbox-unauthorised',
        'inbox-down',
        'disk-full',
        'lease-lost',
      ] as const
    ).map((reason): [string, Partial<HealthFacts>] => [reason, { holds: held(reason) }]),
    ['inbox-down', { holds: held('inbox-down', 'paused') }],
    ['inbox-down', { holds: held('inbox-down'), turn: turn(0) }],
    ['stuck', { turn: turn(3 * MINUTE) }],
    ['deaf', { look: { lastAt: NOW, lastSuccessAt: NOW - 60 * MINUTE, nextAt: NOW }, turn: turn(0) }],
    ['stopping', { stopping: true, turn: turn(0) }],
    [
      'starting',
      { startedAt: NOW, look: { lastAt: undefined, lastSuccessAt: undefined, nextAt: undefined } },
    ],
  ] as [string, Partial<HealthFacts>][])('to leave it alone: %s, %j', (status, over) => {
    expect(judgeFitness(facts(over))).toEqual({ ok: false, status });
  });
});
