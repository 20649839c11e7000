// Random operations on a store, and what can be seen of it afterwards: the parts of the model test.
import fc from 'fast-check';
import type { Claim } from '../../src/domain/claim.js';
import { WorkerError } from '../../src/domain/errors.js';
import type { MessageState } from '../../src/domain/message.js';
import type { OutboxState } from '../../src/domain/outbox.js';
import type { Store } from '../../src/mailbox/index.js';
import type { Settlement, UpcomingClaim } from '../../src/ports/mailbox.js';

const MESSAGES = Array.from({ length: 10 }, (_, n) => `m${n}`);
const CONVERSATIONS = ['@alice', '@bob', '#ops'] as const;
const ADDRESSES = [...CONVERSATIONS, '@alice/thread', 'Bob'];
const CLAIMS = Array.from({ length: 8 }, (_, n) => `c${n}`);
const START = 100_000;
const ACQUIRES = Array.from({ length: 9 }, () => 'acquire' as const);

const conversation = fc.constantFrom(...CONVERSATIONS);
const address = fc.constantFrom(...ADDRESSES);
const parts = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant([]) },
);
const claim = fc.constantFrom(...CLAIMS);
/** Clocks jump: an instant may lie before the one before it. */
const at = fc.integer({ min: 0, max: 9 }).map((n) => START + n);

/** True: at something that is open; false: at a name out of the blue, which mostly is refused. */
const aim = fc.integer({ min: 0, max: 3 }).map((n) => n > 0);

const text = fc.option(fc.record({ to: address, parts, replyToId: fc.constant(undefined) }), {
  nil: undefined,
});
const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({ kind: fc.constant('answered' as const), reply: text }),
  fc.record({ kind: fc.constant('silent' as const) }),
  fc.record({ kind: fc.constant('dead' as const), error: fc.string({ maxLength: 4 }), notice: text }),
  fc.record({
    kind: fc.constant('retry' as const),
    retryAt: at,
    error: fc.string({ maxLength: 4 }),
    countsAttempt: fc.boolean(),
    before: fc.record({
      sessionId: fc.constantFrom(undefined, 's1'),
      promptKept: fc.boolean(),
      rescued: fc.boolean(),
      lastError: fc.constantFrom(undefined, 'e'),
    }),
  }),
);

/** An id belongs to one conversation here; servers that count anew in each have a conformance test of their own. */
const named = fc.nat(MESSAGES.length - 1).map((n) => ({
  id: MESSAGES[n] ?? 'm0',
  conversation: CONVERSATIONS[n % CONVERSATIONS.length] ?? '@alice',
}));

const batch = fc.array(
  fc
    .record({
      named,
      text: fc.string({ maxLength: 8 }),
      sentAt: fc.constantFrom(undefined, START - 1),
      silent: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    })
    .map(({ named: name, ...rest }) => ({ ...name, ...rest })),
  { maxLength: 4 },
);

/** `weight` favours what makes a life: without it most sequences only collect refusals. */
export const operation = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constant('spool' as const), batch, at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('claim' as const),
      at,
      newId: claim,
      prefer: fc.option(conversation, { nil: undefined }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('settle' as const), aim, claim, settlement, at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('commit' as const),
      aim,
      claim,
      to: address,
      kind: fc.constantFrom('reply' as const, 'interim' as const, 'other' as const),
      ordinal: fc.integer({ min: 0, max: 1 }),
      parts,
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('notice' as const),
      name: fc.constantFrom('n1', 'n2'),
      about: fc.constantFrom(...MESSAGES),
      to: address,
      parts,
      at,
    }),
  },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('next' as const), at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('record' as const),
      aim,
      row: fc.integer({ min: 1, max: 8 }),
      state: fc.constantFrom<OutboxState>('sent', 'refused', 'queued', 'unsure', 'unsure', 'sending'),
      retryAt: fc.option(at, { nil: undefined }),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('reopen' as const, 'drop' as const),
      aim,
      message: fc.constantFrom(...MESSAGES),
      at,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('decide' as const),
      aim,
      row: fc.integer({ min: 1, max: 8 }),
      how: fc.constantFrom('resend' as const, 'drop' as const),
      at,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('note' as const), claim }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('crash' as const), resend: fc.boolean(), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('turn' as const), turn: fc.nat(3), ends: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('slot' as const), pid: fc.option(fc.nat(9)) }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('delivery' as const), id: fc.constantFrom('d1', 'd2') }),
  },
  {
    weight: 2,
    // Seldom given back: without the lease everything is refused.
    arbitrary: fc.record({ op: fc.constantFrom(...ACQUIRES, 'release' as const) }),
  },
);

export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What it resolved to, or the code it was refused with. Whatever else is thrown is a fault of the store. */
export async function run(store: Store, operation: Operation): Promise<unknown> {
  try {
    return { value: await perform(store, operation) };
  } catch (error) {
    if (error instanceof WorkerError) return { refused: error.code };
    throw error;
  }
}

async function perform(store: Store, operation: Operation): Promise<unknown> {
  const { mailbox, outbox, ledger, slots, lease, deliveries } = store;
  switch (operation.op) {
    case 'spool': {
      const messages = operation.batch.map(({ silent: _, ...one }) => ({
        ...one,
        sender: one.conversation === '#ops' ? '@carol' : one.conversation,
        kind: 'agent' as const,
      }));
      const silent = operation.batch.filter((one) => one.silent).map((one) => one.id);
      return mailbox.spool(messages, operation.at, new Set(silent));
    }
    case 'claim': {
      const upcoming = await mailbox.upcoming({ at: operation.at, limit: 4 });
      const tally = await mailbox.tally(operation.at);
      const claim = await mailbox.claim({ ...operation, slot: 0 });
      if (operation.prefer === undefined) mustAgree(upcoming[0], claim);
      return { upcoming, tally, claim };
    }
    case 'settle':
      return mailbox.settle(await aimedClaim(store, operation), operation.settlement, operation.at);
    case 'commit': {
      const claimId = await aimedClaim(store, operation);
      return outbox.commit({ ...operation, claimId, replyToId: undefined }, operation.at);
    }
    case 'notice':
      return outbox.notice(operation, operation.at);
    case 'next':
      return outbox.next(operation.at);
    case 'record':
      return outbox.record(await aimedRow(store, operation), operation, operation.at);
    case 'reopen':
      return mailbox.reopen(await aimedMessage(store, operation), operation.at);
    case 'drop':
      return mailbox.drop(operation.message, operation.at);
    case 'decide':
      return outbox.settleUnsure(await aimedRow(store, operation), operation.how, operation.at);
    case 'note':
      return mailbox.noteSession(operation.claim, 's2');
    case 'crash':
      return rescue(store, operation.resend, operation.at);
    case 'turn': {
      const id = `t${operation.turn}`;
      const usage = { costUsd: 0.25, inputTokens: 3, outputTokens: 2, modelCalls: 1 };
      const end = { endedAt: 9, sessionId: undefined, verdict: 'answered', outcome: 'completed', usage };
      if (operation.ends) return ledger.end(id, end);
      const begun = { id, claimId: 'c0', conversation: '@alice', slot: 0, sessionId: 's1' };
      return ledger.begin({ ...begun, startedAt: operation.turn, promptBytes: 7 });
    }
    case 'slot': {
      const pid = operation.pid ?? undefined;
      return slots.save({
        slot: 0,
        pid,
        processStart: 'x',
        sessionId: undefined,
        conversation: '@bob',
        wear: undefined,
      });
    }
    case 'delivery':
      return deliveries.remember(operation.id, START);
    case 'acquire':
      return lease.acquire();
    case 'release':
      return lease.release();
  }
}

/** What was foretold is what came. */
function mustAgree(foretold: UpcomingClaim | undefined, came: Claim | undefined): void {
  const told = foretold?.dueAt === undefined ? foretold : undefined;
  const seen = (one: Omit<Claim, 'id'> | undefined) =>
    one && JSON.stringify([one.conversation, one.messages.map(({ id }) => id), one.attempts, one.before]);
  if (seen(told) !== seen(came)) throw new Error(`foretold ${seen(told)}, and then came ${seen(came)}`);
}

async function aimedClaim(store: Store, { aim, claim }: { aim: boolean; claim: string }): Promise<string> {
  const open = aim ? await store.mailbox.openClaims() : [];
  return open[CLAIMS.indexOf(claim) % Math.max(1, open.length)]?.id ?? claim;
}

async function aimedMessage(
  { mailbox }: Store,
  { aim, message }: { aim: boolean; message: string },
): Promise<string> {
  const dead = aim ? await mailbox.list({ states: ['dead'], limit: 99 }) : [];
  return dead[MESSAGES.indexOf(message) % Math.max(1, dead.length)]?.id ?? message;
}

async function aimedRow(store: Store, { aim, row }: { aim: boolean; row: number }): Promise<number> {
  if (!aim) return row;
  const rows = [];
  for (const id of CLAIMS) rows.push(...(await store.outbox.ofClaim(id)));
  const tried = rows.filter((one) => one.state === 'sending' || one.state === 'unsure');
  return tried[row % Math.max(1, tried.length)]?.id ?? row;
}

/** What the worker does at its start after a crash. */
async function rescue({ mailbox, outbox }: Store, resend: boolean, now: number): Promise<number> {
  const rows = await outbox.recover(resend ? 'queued' : 'unsure');
  for (const claim of await mailbox.openClaims()) {
    if ((await outbox.settlingSends(claim.id)) > 0) {
      await mailbox.settle(claim.id, { kind: 'answered', reply: undefined }, now);
      continue;
    }
    const before = {
      sessionId: claim.sessionId,
      promptKept: claim.sessionId !== undefined,
      rescued: true,
      lastError: 'we died',
    };
    await mailbox.settle(
      claim.id,
      { kind: 'retry', retryAt: now, error: 'we died', countsAttempt: true, before },
      now,
    );
  }
  return rows;
}

/** All that can be asked of a store, as one value. */
export async function seen({ mailbox, outbox, ledger, reports, slots, lease }: Store) {
  const each = async <K extends string, T>(
    keys: readonly K[],
    ask: (key: K) => Promise<T>,
  ): Promise<[K, T][]> => {
    const answers: [K, T][] = [];
    for (const key of keys) answers.push([key, await ask(key)]);
    return answers;
  };
  const limits = { exchanges: 5, chars: 20 };
  const memories: unknown[] = [];
  for (const id of [...CLAIMS, 'later']) {
    for (const one of CONVERSATIONS) memories.push(await mailbox.memory({ id, conversation: one }, limits));
  }
  return {
    counts: await mailbox.counts(),
    lives: await each(MESSAGES, (id) => mailbox.show(id)),
    open: await mailbox.openClaims(),
    nextRetryAt: await mailbox.nextRetryAt(),
    memories,
    rows: await each(CLAIMS, (id) => outbox.ofClaim(id)),
    replies: await each(CLAIMS, (id) => outbox.settlingSends(id)),
    outbox: await outbox.counts(),
    unanswered: await mailbox.unanswered(),
    notices: (await outbox.list({ states: ['queued', 'sent'], limit: 99 })).filter(
      ({ claimId }) => claimId === undefined,
    ),
    nextDueAt: await outbox.nextDueAt(),
    totals: await ledger.totals(1),
    turns: await ledger.recent(3),
    spent: [
      await ledger.spent({ since: 1 }),
      await ledger.spent({ since: 0, claimId: 'c0' }),
      await ledger.spent({ since: 0, sender: '@carol' }),
    ],
    ends: await ledger.turnEnds('@alice', 0),
    dead: await mailbox.list({ states: ['dead', 'retry'], limit: 4 }),
    doubted: await outbox.list({ states: ['unsure', 'refused'], limit: 4 }),
    lines: await reports.messages({ limit: 7 }),
    lineOf: await reports.messages({ states: ['answered', 'retry'], conversation: '@alice', limit: 3 }),
    conversations: await reports.conversations({ since: 2, limit: 2 }),
    claimed: await reports.idsOf(CLAIMS),
    series: await reports.series({ from: 0, to: START, bucketMs: 2 }),
    latencies: await reports.latencies({ from: 0, to: START + 10, limit: 99 }),
    slot: await slots.load(0),
    lease: await lease.show(),
  };
}

export type Seen = Awaited<ReturnType<typeof seen>>;

export const ENDS: readonly MessageState[] = ['answered', 'silent', 'dead'];
