import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_USAGE, type TurnFailure, type TurnOutcome } from '../../src/domain/turn.js';
import { type Evidence, judge } from '../../src/domain/verdict.js';

const end = { sessionId: 's', usage: NO_USAGE, promptKept: true };
const completed = (text: string): TurnOutcome => ({ kind: 'completed', text, denials: 0, ...end });
const failed = (failure: TurnFailure): TurnOutcome => ({ kind: 'failed', failure, message: 'm', ...end });

function evidence(more: Partial<Evidence>): Evidence {
  return {
    delivery: 'inline',
    outcome: completed('hello'),
    settlingSends: 0,
    noReplyCalled: false,
    attempts: 0,
    maxAttempts: 5,
    retry: { baseMs: 10_000, maxMs: 600_000 },
    random: 1,
    ...more,
  };
}

describe('judge', () => {
  it('takes the final text as the reply of an inline turn', () => {
    expect(judge(evidence({ outcome: completed('  hello\n') }))).toEqual({
      kind: 'answered',
      reply: 'hello',
    });
  });

  it('does not send the final text when a send already answered', () => {
    expect(judge(evidence({ settlingSends: 1 }))).toEqual({ kind: 'answered', reply: undefined });
  });

  it('takes NO_REPLY for silence only as the whole text', () => {
    expect(judge(evidence({ outcome: completed(' NO_REPLY \n') }))).toEqual({ kind: 'silent' });
    expect(judge(evidence({ outcome: completed('NO_REPLY means silence') })).kind).toBe('answered');
  });

  it('never sends the final text of a pull turn, and retries one that neither replied nor chose silence', () => {
    expect(judge(evidence({ delivery: 'pull', outcome: completed('done') })).kind).toBe('retry');
    expect(judge(evidence({ delivery: 'pull', noReplyCalled: true })).kind).toBe('silent');
  });

  it('retries an empty answer', () => {
    expect(judge(evidence({ outcome: completed('  ') }))).toMatchObject({
      kind: 'retry',
      delayMs: 10_000,
      countsAttempt: true,
    });
  });

  it('calls a message with a reply in the outbox answered, whatever happened after', () => {
    const outcomes: TurnOutcome[] = [
      failed('server-error'),
      { kind: 'died', message: 'exit 137', ...end },
      { kind: 'timed-out', limit: 'turn', limitMs: 1, ...end },
      { kind: 'interrupted', reason: 'shutdown', ...end },
    ];
    for (const outcome of outcomes)
      expect(judge(evidence({ outcome, settlingSends: 1, attempts: 4 })).kind).toBe('answered');
  });

  it('counts no attempt for an interruption or a limit, one for every other failure', () => {
    const counts = (outcome: TurnOutcome): unknown => {
      const verdict = judge(evidence({ outcome }));
      return verdict.kind === 'retry' ? verdict.countsAttempt : verdict.kind;
    };
    expect(counts({ kind: 'interrupted', reason: 'shutdown', ...end })).toBe(false);
    expect(counts(failed('limited'))).toBe(false);
    expect(counts(failed('rate-limited'))).toBe(false);
    expect(counts(failed('server-error'))).toBe(true);
    // Nothing holds the next turn back after these: without a counted attempt they would spin and burn money.
    expect(counts(failed('over-budget'))).toBe(true);
    expect(counts(failed('unknown'))).toBe(true);
  });

  it('gives up at the last attempt, never before, and never for a free one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 12 }),
        (maxAttempts, attempts) => {
          const verdict = judge(evidence({ outcome: failed('server-error'), attempts, maxAttempts }));
          expect(verdict.kind).toBe(attempts + 1 >= maxAttempts ? 'dead' : 'retry');
          expect(judge(evidence({ outcome: failed('limited'), attempts, maxAttempts })).kind).toBe('retry');
        },
      ),
    );
  });
});
