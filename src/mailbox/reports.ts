// The reports port over the store: lists of messages and conversations, and the figures of the turns.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type {
  Bucket,
  ConversationLine,
  Latency,
  MessageLine,
  MessageQuery,
  Reports,
  Span,
} from '../ports/reports.js';
import type { Fenced } from './access.js';
import { conversationLines } from './report-conversations.js';
import type { MessagesTable, Tables } from './tables.js';

export class StoreReports implements Reports {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  conversations(query: {
    since: number;
    limit: number;
  }): Promise<{ conversations: ConversationLine[]; total: number }> {
    return this.#store.read((db) => conversationLines(db, query));
  }

  /** Places first: with the texts in hand, a database would carry all that fit through its sorting. */
  messages({ states, conversation, before, limit }: MessageQuery): Promise<MessageLine[]> {
    return this.#store.read(async (db) => {
      if (states?.length === 0) return [];
      const places = await db
        .selectFrom('messages')
        .select('seq')
        .$if(states !== undefined, (some) => some.where('state', 'in', states ?? []))
        .$if(conversation !== undefined, (some) => some.where('conversation', '=', conversation ?? ''))
        .$if(before !== undefined, (some) => some.where('seq', '<', before ?? 0))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      if (places.length === 0) return [];
      const rows = await db
        .selectFrom('messages')
        .leftJoin('claims', 'claims.id', 'messages.claim_id')
        .selectAll('messages')
        .select(['claims.attempts', 'claims.retry_at', 'claims.last_error', 'claims.opened_at'])
        .select(firstReplyAt)
        .where(
          'messages.seq',
          'in',
          places.map((place) => place.seq),
        )
        .orderBy('messages.seq', 'desc')
        .execute();
      return rows.map(toLine);
    });
  }

  /** Read through, not looked up: `like` folds case on one database, and order depends on the locale on the other. */
  idsLike(prefix: string, limit: number): Promise<string[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('messages')
        .select('id')
        .where(sql<string>`substr(id, 1, ${[...prefix].length})`, '=', prefix)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map((row) => row.id);
    });
  }

  idsOf(claimIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#store.read(async (db) => {
      const ids = new Map<string, string[]>();
      if (claimIds.length === 0) return ids;
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'claim_id'])
        .where('claim_id', 'in', [...new Set(claimIds)])
        .orderBy('seq')
        .execute();
      for (const { id, claim_id } of rows) {
        if (claim_id !== null) ids.set(claim_id, [...(ids.get(claim_id) ?? []), id]);
      }
      return ids;
    });
  }

  series({ from, to, bucketMs }: Span & { bucketMs: number }): Promise<Bucket[]> {
    return this.#store.read(async (db) => {
      // A literal: bound twice, it would be two expressions to a database that compares the texts.
      const bucket = sql<number>`started_at - started_at % ${sql.lit(bucketMs)}`;
      const rows = await db
        .selectFrom('turns')
        .select(bucket.as('at'))
        .select(({ fn }) => [
          fn.countAll().as('turns'),
          fn.sum('cost_usd').as('cost_usd'),
          fn.sum('input_tokens').as('input_tokens'),
          fn.sum('output_tokens').as('output_tokens'),
          fn.sum('model_calls').as('model_calls'),
        ])
        .where('started_at', '>=', from)
        .where('started_at', '<', to)
        .groupBy(bucket)
        .orderBy(bucket)
        .execute();
      return rows.map((row) => ({
        at: Number(row.at),
        turns: Number(row.turns),
        costUsd: Number(row.cost_usd),
        inputTokens: Number(row.input_tokens),
        outputTokens: Number(row.output_tokens),
        modelCalls: Number(row.model_calls),
      }));
    });
  }

  latencies({ from, to, limit }: Span & { limit: number }): Promise<Latency[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('outbox')
        .innerJoin('messages', 'messages.claim_id', 'outbox.claim_id')
        .select(['messages.id', 'messages.conversation', 'messages.spooled_at', 'messages.seq'])
        .select('outbox.sent_at')
        .where('outbox.kind', '=', 'reply')
        .where('outbox.sent_at', '>=', from)
        .where('outbox.sent_at', '<', to)
        // Later parts, and further sends that joined the reply, went to somebody who was reading already.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('outbox as earlier')
                .select('earlier.id')
                .whereRef('earlier.claim_id', '=', 'outbox.claim_id')
                .where('earlier.kind', '=', 'reply')
                .where(({ or, and, eb }) =>
                  or([
                    eb('earlier.sent_at', '<', eb.ref('outbox.sent_at')),
                    and([
                      eb('earlier.sent_at', '=', eb.ref('outbox.sent_at')),
                      eb('earlier.id', '<', eb.ref('outbox.id')),
                    ]),
                  ]),
                ),
            ),
          ),
        )
        .orderBy('outbox.sent_at', 'desc')
        .orderBy('messages.seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, conversation, spooled_at, sent_at }) => ({
        id,
        conversation,
        at: Number(sent_at),
        ms: Number(sent_at) - spooled_at,
      }));
    });
  }
}

const firstReplyAt = ({ selectFrom }: ExpressionBuilder<Tables, 'messages'>) =>
  selectFrom('outbox')
    .select((eb) => eb.fn.min('outbox.sent_at').as('first'))
    .whereRef('outbox.claim_id', '=', 'messages.claim_id')
    .where('outbox.kind', '=', 'reply')
    .as('replied_at');

interface Found extends Selectable<MessagesTable> {
  readonly attempts: number | null;
  readonly retry_at: number | null;
  readonly last_error: string | null;
  readonly opened_at: number | null;
  readonly replied_at: number | null;
}

function toLine(row: Found): MessageLine {
  return {
    id: row.id,
    seq: row.seq,
    conversation: row.conversation,
    sender: row.sender,
    kind: row.kind,
    chars: row.text.length,
    state: row.state,
    claimId: row.claim_id ?? undefined,
    attempts: row.attempts ?? 0,
    retryAt: row.retry_at ?? undefined,
    lastError: row.last_error ?? undefined,
    spooledAt: row.spooled_at,
    claimedAt: row.opened_at ?? undefined,
    settledAt: row.settled_at ?? undefined,
    repliedAt: row.replied_at === null ? undefined : Number(row.replied_at),
  };
}
