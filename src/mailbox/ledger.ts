// The ledger port over the store: one row a turn.
import type { Selectable } from 'kysely';
import type { Spend } from '../domain/budget.js';
import type { Ledger, LedgerTotals, SpendQuery, TurnRecord, TurnResult } from '../ports/ledger.js';
import { after, type Fenced, refuse } from './access.js';
import type { TurnsTable } from './tables.js';

export class StoreLedger implements Ledger {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  begin(turn: TurnRecord): Promise<void> {
    return this.#store.write(async (db) => {
      const known = await db.selectFrom('turns').select('id').where('id', '=', turn.id).executeTakeFirst();
      if (known) refuse(`Turn ${turn.id} has begun already.`);
      const { highest } = await db
        .selectFrom('turns')
        .select((eb) => eb.fn.max('seq').as('highest'))
        .executeTakeFirstOrThrow();
      await db
        .insertInto('turns')
        .values({
          id: turn.id,
          seq: after(highest),
          claim_id: turn.claimId,
          conversation: turn.conversation,
          slot: turn.slot,
          session_id: turn.sessionId ?? null,
          started_at: turn.startedAt,
          prompt_bytes: turn.promptBytes,
          ended_at: null,
          verdict: null,
          outcome: null,
          cost_usd: 0,
          input_tokens: 0,
          output_tokens: 0,
          model_calls: 0,
        })
        .execute();
    });
  }

  /** A second end of the same turn replaces the first: nothing is counted twice. */
  end(turnId: string, result: TurnResult): Promise<void> {
    return this.#store.write(async (db) => {
      const { usage } = result;
      const { numUpdatedRows } = await db
        .updateTable('turns')
        .set({
          ended_at: result.endedAt,
          verdict: result.verdict,
          outcome: result.outcome,
          cost_usd: usage.costUsd,
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          model_calls: usage.modelCalls,
          ...(result.sessionId === undefined ? {} : { session_id: result.sessionId }),
        })
        .where('id', '=', turnId)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) refuse(`Turn ${turnId} has not begun.`);
    });
  }

  totals(since: number): Promise<LedgerTotals> {
    return this.#store.read(async (db) => {
      const sums = await db
        .selectFrom('turns')
        .select(({ fn }) => [
          fn.countAll().as('turns'),
          fn.sum('cost_usd').as('cost_usd'),
          fn.sum('input_tokens').as('input_tokens'),
          fn.sum('output_tokens').as('output_tokens'),
          fn.sum('model_calls').as('model_calls'),
        ])
        .where('started_at', '>=', since)
        .executeTakeFirstOrThrow();
      // The sum of no rows is null.
      return {
        turns: Number(sums.turns),
        costUsd: Number(sums.cost_usd ?? 0),
        inputTokens: Number(sums.input_tokens ?? 0),
        outputTokens: Number(sums.output_tokens ?? 0),
        modelCalls: Number(sums.model_calls ?? 0),
      };
    });
  }

  recent(limit: number): Promise<(TurnRecord & Partial<TurnResult>)[]> {
    return this.#store.read(async (db) => {
      const rows = await db.selectFrom('turns').selectAll().orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(toTurn);
    });
  }

  ofClaim(claimId: string): Promise<(TurnRecord & Partial<TurnResult>)[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('turns')
        .selectAll()
        .where('claim_id', '=', claimId)
        .orderBy('seq')
        .execute();
      return rows.map(toTurn);
    });
  }

  spent({ since, conversation, sender, claimId }: SpendQuery): Promise<Spend> {
    return this.#store.read(async (db) => {
      const sums = await db
        .selectFrom('turns')
        .select(({ fn }) => [
          fn.sum('cost_usd').as('usd'),
          fn.sum('input_tokens').as('input'),
          fn.sum('output_tokens').as('output'),
        ])
        .where('started_at', '>=', since)
        .$if(conversation !== undefined, (query) => query.where('conversation', '=', conversation ?? ''))
        .$if(claimId !== undefined, (query) => query.where('claim_id', '=', claimId ?? ''))
        .$if(sender !== undefined, (query) =>
          query.where(({ exists, selectFrom }) =>
            exists(
              selectFrom('messages')
                .select('messages.id')
                .whereRef('messages.claim_id', '=', 'turns.claim_id')
                .where('messages.sender', '=', sender ?? ''),
            ),
          ),
        )
        .executeTakeFirstOrThrow();
      return { usd: Number(sums.usd ?? 0), tokens: Number(sums.input ?? 0) + Number(sums.output ?? 0) };
    });
  }

  turnEnds(conversation: string, since: number): Promise<number[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('turns')
        .select('ended_at')
        .where('conversation', '=', conversation)
        .where('verdict', 'in', ['answered', 'silent'])
        .where('ended_at', '>=', since)
        .orderBy('ended_at')
        .execute();
      return rows.map((row) => Number(row.ended_at));
    });
  }
}

function toTurn(row: Selectable<TurnsTable>): TurnRecord & Partial<TurnResult> {
  const begun: TurnRecord = {
    id: row.id,
    claimId: row.claim_id,
    conversation: row.conversation,
    slot: row.slot,
    sessionId: row.session_id ?? undefined,
    startedAt: row.started_at,
    promptBytes: row.prompt_bytes,
  };
  if (row.ended_at === null) return begun;
  return {
    ...begun,
    endedAt: row.ended_at,
    verdict: row.verdict ?? '',
    outcome: row.outcome ?? '',
    usage: {
      costUsd: row.cost_usd,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      modelCalls: row.model_calls,
    },
  };
}
