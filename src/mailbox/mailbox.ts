// The mailbox port over the store: each method one transaction.
import type { Selectable } from 'kysely';
import type { Claim } from '../domain/claim.js';
import {
  DROPPED_BY_HAND,
  type Exchange,
  type IncomingMessage,
  type MessageState,
} from '../domain/message.js';
import type { MessageTally } from '../domain/status.js';
import type {
  Mailbox,
  MailboxCounts,
  MessageLife,
  OpenClaim,
  Settlement,
  Unanswered,
  UpcomingClaim,
} from '../ports/mailbox.js';
import type { Fenced } from './access.js';
import { drop, reopen } from './by-hand.js';
import { type ClaimOptions, claimById, openClaimById, takeClaim, toClaim, upcomingClaims } from './claims.js';
import { remember } from './memory.js';
import { toMessage } from './message-rows.js';
import { settleClaim } from './settle.js';
import { spool } from './spool.js';
import { stepsOf } from './steps.js';
import type { Db, MessagesTable } from './tables.js';
import { tally } from './tally.js';
import { unanswered } from './unanswered.js';

const UNSETTLED: readonly MessageState[] = ['waiting', 'claimed', 'retry'];

export class StoreMailbox implements Mailbox {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  spool(
    batch: readonly IncomingMessage[],
    at: number,
    silent: ReadonlySet<string> = new Set(),
  ): Promise<{ fresh: number; known: number }> {
    return this.#store.write((db) => spool(db, batch, at, silent));
  }

  claim(options: ClaimOptions): Promise<Claim | undefined> {
    return this.#store.write((db) => takeClaim(db, options));
  }

  noteSession(claimId: string, sessionId: string): Promise<void> {
    return this.#store.write(async (db) => {
      await openClaimById(db, claimId);
      await db.updateTable('claims').set({ session_id: sessionId }).where('id', '=', claimId).execute();
    });
  }

  settle(claimId: string, settlement: Settlement, at: number): Promise<void> {
    return this.#store.write((db) => settleClaim(db, claimId, settlement, at));
  }

  openClaims(): Promise<OpenClaim[]> {
    return this.#store.read(async (db) => {
      const rows = await db
        .selectFrom('claims')
        .selectAll()
        .where('state', '=', 'open')
        .orderBy('seq')
        .execute();
      const claims: OpenClaim[] = [];
      for (const row of rows) {
        claims.push({ ...(await toClaim(db, row)), sessionId: row.session_id ?? undefined });
      }
      return claims;
    });
  }

  nextRetryAt(): Promise<number | undefined> {
    return this.#store.read(async (db) => {
      const { first } = await db
        .selectFrom('claims')
        .select((eb) => eb.fn.min('retry_at').as('first'))
        .where('state', '=', 'retry')
        .executeTakeFirstOrThrow();
      return first === null ? undefined : Number(first);
    });
  }

  memory(
    claim: Pick<Claim, 'id' | 'conversation'>,
    limits: { exchanges: number; chars: number },
  ): Promise<Exchange[]> {
    return this.#store.read((db) => remember(db, claim, limits));
  }

  unanswered(): Promise<Unanswered[]> {
    return this.#store.read((db) => unanswered(db, UNSETTLED));
  }

  counts(): Promise<MailboxCounts> {
    return this.#store.read(count);
  }

  tally(since: number): Promise<MessageTally> {
    return this.#store.read((db) => tally(db, since));
  }

  upcoming(query: { at: number; limit: number }): Promise<UpcomingClaim[]> {
    return this.#store.read((db) => upcomingClaims(db, query));
  }

  show(id: string): Promise<MessageLife | undefined> {
    return this.#store.read(async (db) => {
      const row = await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
      return row && lifeOf(db, row);
    });
  }

  list({ states, limit }: { states: readonly MessageState[]; limit: number }): Promise<MessageLife[]> {
    return this.#store.read(async (db) => {
      if (states.length === 0) return [];
      const rows = await db
        .selectFrom('messages')
        .selectAll()
        .where('state', 'in', states)
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      const lives: MessageLife[] = [];
      for (const row of rows) lives.push(await lifeOf(db, row));
      return lives;
    });
  }

  reopen(id: string, at: number): Promise<{ claimId: string; messages: number }> {
    return this.#store.write((db) => reopen(db, id, at));
  }

  drop(id: string, at: number): Promise<{ messages: number }> {
    return this.#store.write((db) => drop(db, id, at));
  }
}

async function count(db: Db): Promise<MailboxCounts> {
  const messages = { waiting: 0, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 };
  const rows = await db
    .selectFrom('messages')
    .select(['state', (eb) => eb.fn.countAll().as('count')])
    .groupBy('state')
    .execute();
  for (const row of rows) messages[row.state] = Number(row.count);
  const { oldest } = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.min('spooled_at').as('oldest'))
    .where('state', 'in', UNSETTLED)
    .executeTakeFirstOrThrow();
  return { messages, oldestWaitingAt: oldest === null ? undefined : Number(oldest) };
}

async function lifeOf(db: Db, row: Selectable<MessagesTable>): Promise<MessageLife> {
  const claim = row.claim_id === null ? undefined : await claimById(db, row.claim_id);
  const waiting = { state: 'waiting', at: row.spooled_at, note: undefined } as const;
  // Without a claim it either waits still, or fell silent: as it came, or by hand.
  const note = row.dropped === 1 ? DROPPED_BY_HAND : undefined;
  const unclaimed = row.settled_at === null ? [] : [{ state: row.state, at: row.settled_at, note }];
  return {
    ...toMessage(row),
    claimId: claim?.id,
    attempts: claim?.attempts ?? 0,
    retryAt: claim?.retry_at ?? undefined,
    lastError: claim?.last_error ?? undefined,
    claimedAt: claim?.opened_at,
    settledAt: row.settled_at ?? undefined,
    steps: [waiting, ...(claim ? await stepsOf(db, claim.id) : unclaimed)],
  };
}
