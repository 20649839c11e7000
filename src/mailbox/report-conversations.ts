// Conversations, one a line: what waits in each, its last turn, and what it has cost of late.
import type { ConversationLine } from '../ports/reports.js';
import type { Db } from './tables.js';

/** As `Reports.conversations`. */
export async function conversationLines(
  db: Db,
  { since, limit }: { since: number; limit: number },
): Promise<{ conversations: ConversationLine[]; total: number }> {
  const newest = await db
    .selectFrom('messages')
    .select(['conversation', (eb) => eb.fn.max('seq').as('last')])
    .groupBy('conversation')
    .orderBy('last', 'desc')
    .limit(limit)
    .execute();
  if (newest.length === 0) return { conversations: [], total: 0 };
  const { total } = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.count('conversation').distinct().as('total'))
    .executeTakeFirstOrThrow();
  const names = newest.map((row) => row.conversation);
  const lastAt = await lastMessages(
    db,
    newest.map((row) => Number(row.last)),
  );
  const counts = await countsOf(db, names);
  const lastTurns = await lastTurnsOf(db, names);
  const spent = await spentBy(db, names, since);
  const conversations = names.map(
    (conversation): ConversationLine => ({
      conversation,
      messages: counts.get(conversation) ?? none(),
      lastMessageAt: lastAt.get(conversation) ?? 0,
      lastTurn: lastTurns.get(conversation),
      ...(spent.get(conversation) ?? { turns: 0, costUsd: 0 }),
    }),
  );
  return { conversations, total: Number(total) };
}

const none = () => ({ waiting: 0, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 });

async function lastMessages(db: Db, seqs: readonly number[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('messages')
    .select(['conversation', 'spooled_at'])
    .where('seq', 'in', seqs)
    .execute();
  return new Map(rows.map((row) => [row.conversation, row.spooled_at]));
}

async function countsOf(db: Db, names: readonly string[]): Promise<Map<string, ReturnType<typeof none>>> {
  const rows = await db
    .selectFrom('messages')
    .select(['conversation', 'state', (eb) => eb.fn.countAll().as('count')])
    .where('conversation', 'in', names)
    .groupBy(['conversation', 'state'])
    .execute();
  const counts = new Map<string, ReturnType<typeof none>>();
  for (const { conversation, state, count } of rows) {
    const own = counts.get(conversation) ?? none();
    own[state] = Number(count);
    counts.set(conversation, own);
  }
  return counts;
}

async function lastTurnsOf(
  db: Db,
  names: readonly string[],
): Promise<Map<string, NonNullable<ConversationLine['lastTurn']>>> {
  const rows = await db
    .with('lasts', (with_) =>
      with_
        .selectFrom('turns')
        .select((eb) => eb.fn.max('seq').as('seq'))
        .where('conversation', 'in', names)
        .groupBy('conversation'),
    )
    .selectFrom('turns')
    .innerJoin('lasts', 'lasts.seq', 'turns.seq')
    .select(['turns.conversation', 'turns.started_at', 'turns.ended_at', 'turns.verdict'])
    .execute();
  return new Map(
    rows.map((row) => [
      row.conversation,
      {
        startedAt: row.started_at,
        endedAt: row.ended_at ?? undefined,
        verdict: row.verdict ?? undefined,
      },
    ]),
  );
}

async function spentBy(
  db: Db,
  names: readonly string[],
  since: number,
): Promise<Map<string, { turns: number; costUsd: number }>> {
  const rows = await db
    .selectFrom('turns')
    .select(['conversation', (eb) => eb.fn.countAll().as('turns'), (eb) => eb.fn.sum('cost_usd').as('usd')])
    .where('conversation', 'in', names)
    .where('started_at', '>=', since)
    .groupBy('conversation')
    .execute();
  return new Map(
    rows.map((row) => [row.conversation, { turns: Number(row.turns), costUsd: Number(row.usd) }]),
  );
}
