// Rules of the reports: lists of messages and conversations, figures of turns, and how long people waited.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/mailbox/index.js';
import type { Settlement } from '../../src/ports/mailbox.js';
import { answered, type Bench, exchange, message, opened, reply, retryAt } from './mailbox.js';

const DEAD: Settlement = { kind: 'dead', error: 'too often', notice: undefined };
const NONE = { waiting: 0, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 };
const ids = (list: readonly { id: string }[]): string[] => list.map((one) => one.id);

async function turn(
  { ledger }: Store,
  id: string,
  startedAt: number,
  more: {
    conversation?: string;
    claimId?: string;
    endedAt?: number;
    verdict?: string;
    costUsd?: number;
  } = {},
): Promise<void> {
  const { conversation = '@alice', claimId = 'c', endedAt, verdict = 'answered', costUsd = 0.25 } = more;
  const begun = { id, claimId, conversation, slot: 0, sessionId: undefined, startedAt, promptBytes: 7 };
  await ledger.begin(begun);
  if (endedAt === undefined) return;
  const usage = { costUsd, inputTokens: 100, outputTokens: 20, modelCalls: 2 };
  await ledger.end(id, { endedAt, sessionId: undefined, verdict, outcome: 'completed', usage });
}

/** Sends everything that is due, one after the other, at these instants. */
async function send({ outbox }: Store, ...times: number[]): Promise<void> {
  for (const at of times) {
    const row = await outbox.next(at);
    if (row) await outbox.record(row.id, { state: 'sent', upstreamId: `up-${row.id}` }, at);
  }
}

export function reportRules(bench: () => Bench): void {
  describe('lines of messages', () => {
    it('tell of each what it is, how long, and the times of its life, but no text', async () => {
      const store = await opened(bench());
      const { mailbox, reports } = store;
      await mailbox.spool([message('m1', '#ops', { sender: '@bob', text: 'héllo 👍' })], 1_000);
      const waiting = {
        id: 'm1',
        seq: 1,
        conversation: '#ops',
        sender: '@bob',
        kind: 'agent',
        chars: 8,
        state: 'waiting',
        claimId: undefined,
        attempts: 0,
        retryAt: undefined,
        lastError: undefined,
        spooledAt: 1_000,
        claimedAt: undefined,
        settledAt: undefined,
        repliedAt: undefined,
      };
      expect(await reports.messages({ limit: 9 })).toEqual([waiting]);
      await mailbox.claim({ at: 1_100, slot: 0, newId: 'c1' });
      await mailbox.settle('c1', retryAt(1_300), 1_200);
      const failed = { claimId: 'c1', claimedAt: 1_100, attempts: 1, lastError: 'it failed' };
      expect(await reports.messages({ limit: 9 })).toEqual([
        { ...waiting, ...failed, state: 'retry', retryAt: 1_300 },
      ]);
      await mailbox.claim({ at: 1_300, slot: 0, newId: 'c2' });
      const parts = ['one', 'two'];
      await mailbox.settle('c1', { kind: 'answered', reply: reply(parts, '#ops') }, 1_400);
      expect(await reports.messages({ limit: 9 })).toEqual([
        { ...waiting, ...failed, state: 'answered', settledAt: 1_400 },
      ]);
      await send(store, 1_500, 1_600);
      expect((await reports.messages({ limit: 9 }))[0]).toMatchObject({ repliedAt: 1_500 });
    });

    it('come in pages, the last that came in first, whatever the clock said', async () => {
      const { mailbox, reports } = await opened(bench());
      await mailbox.spool(
        ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => message(id)),
        1_000,
      );
      await mailbox.spool([message('m6')], 500);
      const first = await reports.messages({ limit: 2 });
      expect(ids(first)).toEqual(['m6', 'm5']);
      const second = await reports.messages({ limit: 3, before: first[1]?.seq });
      expect(ids(second)).toEqual(['m4', 'm3', 'm2']);
      expect(ids(await reports.messages({ limit: 3, before: second[2]?.seq }))).toEqual(['m1']);
      expect(await reports.messages({ limit: 3, before: 1 })).toEqual([]);
    });

    it('are narrowed to states, to a conversation, to both', async () => {
      const store = await opened(bench());
      const { mailbox, reports } = store;
      await exchange(store, 'm1', DEAD);
      await exchange(store, 'm2', answered('hi', '@bob'), { conversation: '@bob' });
      await mailbox.spool([message('m3'), message('m4', '@bob')], 2_000);
      const found = async (query: Partial<Parameters<typeof reports.messages>[0]>): Promise<string[]> =>
        ids(await reports.messages({ limit: 9, ...query }));
      expect(await found({ states: ['dead'] })).toEqual(['m1']);
      expect(await found({ states: ['dead', 'waiting'] })).toEqual(['m4', 'm3', 'm1']);
      expect(await found({ states: [] })).toEqual([]);
      expect(await found({ conversation: '@bob' })).toEqual(['m4', 'm2']);
      expect(await found({ conversation: '@bob', states: ['answered'] })).toEqual(['m2']);
      expect(await found({ conversation: '' })).toEqual([]);
      expect(await found({ conversation: '@alice', before: 3 })).toEqual(['m1']);
    });
  });

  describe('ids', () => {
    it('are found by their beginning, with nothing in it read as a pattern', async () => {
      const { mailbox, reports } = await opened(bench());
      const all = ['abc-2', 'abc-1', 'ABC-3', 'a%c-4', 'a_c', 'zabc', 'ö👍x', "o'brien"];
      await mailbox.spool(
        all.map((id) => message(id)),
        1_000,
      );
      expect(await reports.idsLike('abc', 9)).toEqual(['abc-2', 'abc-1']);
      expect(await reports.idsLike('abc', 1)).toEqual(['abc-2']);
      expect(await reports.idsLike('a%', 9)).toEqual(['a%c-4']);
      expect(await reports.idsLike('a_', 9)).toEqual(['a_c']);
      expect(await reports.idsLike('ö👍', 9)).toEqual(['ö👍x']);
      expect(await reports.idsLike("o'", 9)).toEqual(["o'brien"]);
      expect(await reports.idsLike('abc-1', 9)).toEqual(['abc-1']);
      expect(await reports.idsLike('abc-11', 9)).toEqual([]);
    });

    it('are told of claims, in order of arrival', async () => {
      const { mailbox, reports } = await opened(bench());
      await mailbox.spool([message('m2'), message('m3', '@bob'), message('m1')], 1_000);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c2' });
      expect(await reports.idsOf(['c2', 'c1', 'c1', 'c3'])).toEqual(
        new Map([
          ['c1', ['m2', 'm1']],
          ['c2', ['m3']],
        ]),
      );
      expect(await reports.idsOf([])).toEqual(new Map());
    });
  });

  describe('lines of conversations', () => {
    it('tell how many messages are in each state, the last turn, and what was spent since', async () => {
      const store = await opened(bench());
      const { mailbox, reports } = store;
      expect(await reports.conversations({ since: 0, limit: 9 })).toEqual({ conversations: [], total: 0 });
      await exchange(store, 'm1', answered('hi'), { at: 1_000 });
      await exchange(store, 'm2', DEAD, { at: 2_000, conversation: '@bob' });
      await mailbox.spool([message('m3')], 500);
      await turn(store, 't1', 1_000, { endedAt: 1_100 });
      await turn(store, 't2', 2_000, { endedAt: 2_100 });
      await turn(store, 't3', 1_900, { endedAt: 1_950, verdict: 'retry' });
      await turn(store, 't4', 3_000, { conversation: '@bob' });
      const { conversations, total } = await reports.conversations({ since: 1_900, limit: 9 });
      expect(total).toBe(2);
      expect(conversations).toEqual([
        {
          conversation: '@alice',
          messages: { ...NONE, answered: 1, waiting: 1 },
          lastMessageAt: 500,
          lastTurn: { startedAt: 1_900, endedAt: 1_950, verdict: 'retry' },
          turns: 2,
          costUsd: 0.5,
        },
        {
          conversation: '@bob',
          messages: { ...NONE, dead: 1 },
          lastMessageAt: 2_000,
          lastTurn: { startedAt: 3_000, endedAt: undefined, verdict: undefined },
          turns: 1,
          costUsd: 0,
        },
      ]);
    });

    it('are those with the newest messages, and all are counted', async () => {
      const { mailbox, reports } = await opened(bench());
      const names = ['@a', '@b', '@c', '@d'];
      await mailbox.spool(
        names.map((name, n) => message(`m${n}`, name)),
        1_000,
      );
      await mailbox.spool([message('m9', '@b')], 900);
      const { conversations, total } = await reports.conversations({ since: 0, limit: 3 });
      expect(conversations.map((line) => line.conversation)).toEqual(['@b', '@d', '@c']);
      expect(conversations[1]).toMatchObject({ lastTurn: undefined, turns: 0, costUsd: 0 });
      expect(total).toBe(4);
    });
  });

  describe('the series', () => {
    it('sums turns by the buckets they started in, and leaves empty ones out', async () => {
      const store = await opened(bench());
      const { reports } = store;
      const day = 20_000 * 86_400_000;
      await turn(store, 't1', day + 59_999, { endedAt: day + 61_000 });
      await turn(store, 't2', day, { endedAt: day + 1_000, costUsd: 0.5 });
      await turn(store, 't3', day + 180_000);
      await turn(store, 't4', day + 240_000, { endedAt: day + 250_000 });
      const query = { from: day, to: day + 240_000, bucketMs: 60_000 };
      expect(await reports.series(query)).toEqual([
        { at: day, turns: 2, costUsd: 0.75, inputTokens: 200, outputTokens: 40, modelCalls: 4 },
        { at: day + 180_000, turns: 1, costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 },
      ]);
      // Longer than 2³¹ ms: a month of 30 days.
      const month = { from: 0, to: day + 1_000_000, bucketMs: 30 * 86_400_000 };
      expect(await reports.series(month)).toMatchObject([{ at: Math.floor(20_000 / 30) * 30 * 86_400_000 }]);
      expect(await reports.series({ ...query, from: day + 1 })).toMatchObject([{ turns: 1 }, { turns: 1 }]);
      expect(await reports.series({ ...query, to: day })).toEqual([]);
    });
  });

  describe('latencies', () => {
    it('run from the spooling of each message to the first reply of its claim', async () => {
      const store = await opened(bench());
      const { mailbox, outbox, reports } = store;
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.spool([message('m2')], 1_500);
      await mailbox.claim({ at: 2_000, slot: 0, newId: 'c1' });
      const common = { claimId: 'c1', ordinal: 0, replyToId: undefined };
      await outbox.commit({ ...common, to: '@alice', kind: 'interim', parts: ['on it'] }, 2_000);
      await outbox.commit({ ...common, to: '@zoe', kind: 'other', parts: ['by the way'] }, 2_000);
      await mailbox.settle('c1', { kind: 'answered', reply: reply(['one', 'two']) }, 3_000);
      await send(store, 2_100, 2_200);
      expect(await reports.latencies({ from: 0, to: 9_999, limit: 9 })).toEqual([]);
      await send(store, 3_100, 3_200);
      const both = [
        { id: 'm2', conversation: '@alice', at: 3_100, ms: 1_600 },
        { id: 'm1', conversation: '@alice', at: 3_100, ms: 2_100 },
      ];
      expect(await reports.latencies({ from: 0, to: 9_999, limit: 9 })).toEqual(both);
      expect(await reports.latencies({ from: 3_100, to: 3_101, limit: 9 })).toEqual(both);
      // Its second part went out then, but the first had been read.
      expect(await reports.latencies({ from: 3_101, to: 9_999, limit: 9 })).toEqual([]);
      expect(await reports.latencies({ from: 0, to: 3_100, limit: 9 })).toEqual([]);

      await exchange(store, 'm3', answered('hi', '@bob'), { at: 5_000, conversation: '@bob' });
      // A clock that was set back tells what it tells.
      await send(store, 4_000);
      expect(await reports.latencies({ from: 0, to: 9_999, limit: 2 })).toEqual([
        { id: 'm3', conversation: '@bob', at: 4_000, ms: -1_000 },
        both[0],
      ]);
    });
  });
}
