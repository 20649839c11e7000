// The reports' twin in memory: the same questions asked of maps.
import { addUsage, NO_USAGE } from '../../src/domain/turn.js';
import type { ConversationLine, MessageLine, Reports } from '../../src/ports/reports.js';
import type { MemoryDisk, MemoryFence, MessageRecord } from './memory-disk.js';

export function reportsOver(disk: MemoryDisk, fence: MemoryFence): Reports {
  const all = (): MessageRecord[] => [...disk.messages.values()];
  const repliedAt = (claimId: string | undefined): number | undefined => {
    const times = disk.rows.flatMap((row) =>
      claimId !== undefined && row.claimId === claimId && row.kind === 'reply' && row.sentAt !== undefined
        ? [row.sentAt]
        : [],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  };

  return {
    conversations: ({ since, limit }) =>
      fence.read(() => {
        const lines = new Map<string, ConversationLine>();
        for (const record of all()) {
          const { conversation } = record.incoming;
          const before = lines.get(conversation);
          // Deleted first, so that the conversation with the newest message stands last.
          lines.delete(conversation);
          const messages = {
            ...(before?.messages ?? { waiting: 0, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 }),
          };
          messages[record.state] += 1;
          const turns = [...disk.turns.values()].filter((turn) => turn.begun.conversation === conversation);
          const last = turns.at(-1);
          const counted = turns.filter((turn) => turn.begun.startedAt >= since);
          lines.set(conversation, {
            conversation,
            messages,
            lastMessageAt: record.spooledAt,
            lastTurn: last && {
              startedAt: last.begun.startedAt,
              endedAt: last.result?.endedAt,
              verdict: last.result?.verdict,
            },
            turns: counted.length,
            costUsd: counted.reduce((sum, turn) => sum + (turn.result?.usage.costUsd ?? 0), 0),
          });
        }
        return { conversations: [...lines.values()].reverse().slice(0, limit), total: lines.size };
      }),
    messages: ({ states, conversation, before = Infinity, limit }) =>
      fence.read(() =>
        all()
          .map((record, index): MessageLine => {
            const { incoming, state, claimId, spooledAt, settledAt } = record;
            const claim = disk.claims.get(claimId ?? '');
            return {
              id: incoming.id,
              seq: index + 1,
              conversation: incoming.conversation,
              sender: incoming.sender,
              kind: incoming.kind,
              chars: incoming.text.length,
              state,
              claimId,
              attempts: claim?.attempts ?? 0,
              retryAt: claim?.retryAt,
              lastError: claim?.lastError,
              spooledAt,
              claimedAt: claim?.openedAt,
              settledAt,
              repliedAt: repliedAt(claimId),
            };
          })
          .filter((line) => states === undefined || states.includes(line.state))
          .filter((line) => conversation === undefined || line.conversation === conversation)
          .filter((line) => line.seq < before)
          .reverse()
          .slice(0, limit),
      ),
    idsLike: (prefix, limit) =>
      fence.read(() => [...disk.messages.keys()].filter((id) => id.startsWith(prefix)).slice(0, limit)),
    idsOf: (claimIds) =>
      fence.read(() => {
        const ids = new Map<string, string[]>();
        for (const { claimId, incoming } of all()) {
          if (claimId === undefined || !claimIds.includes(claimId)) continue;
          ids.set(claimId, [...(ids.get(claimId) ?? []), incoming.id]);
        }
        return ids;
      }),
    series: ({ from, to, bucketMs }) =>
      fence.read(() => {
        const buckets = new Map<number, { at: number; turns: number } & typeof NO_USAGE>();
        for (const { begun, result } of disk.turns.values()) {
          if (begun.startedAt < from || begun.startedAt >= to) continue;
          const at = Math.floor(begun.startedAt / bucketMs) * bucketMs;
          const sum = buckets.get(at) ?? { at, turns: 0, ...NO_USAGE };
          buckets.set(at, { at, turns: sum.turns + 1, ...addUsage(sum, result?.usage ?? NO_USAGE) });
        }
        return [...buckets.values()].sort((a, b) => a.at - b.at);
      }),
    latencies: ({ from, to, limit }) =>
      fence.read(() =>
        all()
          .reverse()
          .flatMap(({ incoming, claimId, spooledAt }) => {
            const at = repliedAt(claimId);
            if (at === undefined || at < from || at >= to) return [];
            return [{ id: incoming.id, conversation: incoming.conversation, at, ms: at - spooledAt }];
          })
          .sort((a, b) => b.at - a.at)
          .slice(0, limit),
      ),
  };
}
