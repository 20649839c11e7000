// Random operations: SQLite and its twin in memory agree at every step, and the rules of a message's life hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayBecome } from '../../src/domain/message.js';
import { openStore } from '../../src/mailbox/index.js';
import { holder, STALE_MS, startOf } from '../conformance/mailbox.js';
import { MemoryDisk, openMemoryStore } from '../support/memory-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { ENDS, type Operation, operation, run, type Seen, seen } from './operations.js';

/** Asking everything is slow beside an operation; shrinking finds the step all the same. */
const LOOK_EVERY = 20;

describe('a store under random operations', () => {
  it('does what its twin in memory does, and keeps the rules', { timeout: 120_000 }, async () => {
    const tally = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 100, size: 'max' }), (operations) =>
        compare(operations, tally),
      ),
      // A failing run shrinks no longer than this: under load it took minutes.
      { numRuns: 60, interruptAfterTimeLimit: 60_000 },
    );
    // The sequences must reach into a life, or they prove nothing.
    for (const reached of [
      'answered',
      'silent',
      'dead',
      'retry',
      'sent',
      'refused',
      'unsure',
      'queued',
      'reopen',
      'drop',
      'decide',
      'notice',
    ]) {
      expect(tally.get(reached) ?? 0, reached).toBeGreaterThan(0);
    }
  });
});

async function compare(operations: readonly Operation[], tally: Map<string, number>): Promise<void> {
  const common = { clock: new VirtualClock(), owner: holder('a'), staleMs: STALE_MS, startOf };
  const sqlite = await openStore({ ...common, path: ':memory:' });
  const memory = openMemoryStore({ ...common, disk: new MemoryDisk() });
  try {
    const spooled = new Set<string>();
    const claimOf = new Map<string, string>();
    await sqlite.lease.acquire();
    await memory.lease.acquire();
    for (const [step, one] of operations.entries()) {
      const result = await run(sqlite, one);
      expect(result, `step ${step}: ${one.op}`).toEqual(await run(memory, one));
      if (!hasKey(result, 'refused')) {
        tally.set(reachedBy(one), (tally.get(reachedBy(one)) ?? 0) + 1);
        if (one.op === 'spool') for (const message of one.batch) spooled.add(message.id);
      }
      if (step % LOOK_EVERY !== 0 && step !== operations.length - 1) continue;
      const now = await seen(sqlite);
      expect(now, `after step ${step}: ${one.op}`).toEqual(await seen(memory));
      checkRules(now, spooled, claimOf);
    }
  } finally {
    await sqlite.close();
    await memory.close();
  }
}

function checkRules(now: Seen, spooled: ReadonlySet<string>, claimOf: Map<string, string>): void {
  const lives = now.lives.flatMap(([, life]) => (life ? [life] : []));
  // No message without a state, none lost, none invented.
  expect(lives.map((life) => life.id).sort()).toEqual([...spooled].sort());
  expect(Object.values(now.counts.messages).reduce((sum, n) => sum + n, 0)).toBe(spooled.size);

  const unsettled = new Map<string, Set<string>>();
  const reopened = new Set<string>();
  for (const life of lives) {
    const states = life.steps.map((step) => step.state);
    expect(states.at(-1)).toBe(life.state);
    for (const [n, state] of states.entries()) {
      const before = states[n - 1];
      if (before !== undefined) expect(mayBecome(before, state), `${before} to ${state}`).toBe(true);
    }
    // Settled once, and then for good: only a person moves a dead one, each time by one step more.
    const ends = states.filter((state) => ENDS.includes(state));
    const byHand = states.filter((_, n) => states[n - 1] === 'dead').length;
    expect(ends.length - (ENDS.includes(life.state) ? 1 : 0)).toBe(byHand);

    // A message never changes its claim.
    if (life.claimId !== undefined) {
      expect(claimOf.get(life.id) ?? life.claimId).toBe(life.claimId);
      claimOf.set(life.id, life.claimId);
      // Re-opened behind another: to be tried again, but not before that one has ended.
      if (life.state === 'retry' && life.retryAt === undefined) reopened.add(life.conversation);
      else if (!ENDS.includes(life.state)) {
        const claims = unsettled.get(life.conversation) ?? new Set();
        unsettled.set(life.conversation, claims.add(life.claimId));
      }
    }
  }
  for (const [conversation, claims] of unsettled) {
    expect(claims.size, `unsettled claims of ${conversation}`).toBe(1);
  }

  for (const conversation of reopened) expect(unsettled.has(conversation), conversation).toBe(true);

  const replies = new Map(now.replies);
  for (const life of lives) {
    if (life.state === 'answered') expect(replies.get(life.claimId as 'c0')).toBeGreaterThan(0);
  }
  const rows = now.rows.flatMap(([, list]) => list);
  expect(new Set(rows.map((row) => row.idempotencyKey)).size).toBe(rows.length);
  const sending = rows.filter((row) => row.state === 'sending').map((row) => row.to);
  expect(new Set(sending).size, 'one at a time per target').toBe(sending.length);
}

/** The states that operations brought about, by name. */
function reachedBy(one: Operation): string {
  if (one.op === 'settle') return one.settlement.kind;
  return one.op === 'record' ? one.state : one.op;
}

const hasKey = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && key in value;
