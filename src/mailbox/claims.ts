// Claims: whose turn it is, and the opening of a claim, new or again.
import type { Selectable } from 'kysely';
import { CLAIM_MESSAGES, type Claim, type EarlierAttempt } from '../domain/claim.js';
import { mayBecome } from '../domain/message.js';
import type { UpcomingClaim } from '../ports/mailbox.js';
import { after, refuse } from './access.js';
import { messagesOf, moveMessages, toMessage } from './message-rows.js';
import { addStep } from './steps.js';
import type { ClaimsTable, Db } from './tables.js';

export type ClaimRow = Selectable<ClaimsTable>;

export interface ClaimOptions {
  readonly at: number;
  readonly slot: number;
  readonly newId: string;
  readonly prefer?: string | undefined;
}

/** The preferred conversation if it is claimable, else the retry due longest, else the oldest waiting message's. */
export async function takeClaim(db: Db, options: ClaimOptions): Promise<Claim | undefined> {
  const { prefer } = options;
  if (prefer !== undefined) {
    const preferred = (await retryDue(db, options, prefer)) ?? (await openNew(db, options, prefer));
    if (preferred) return preferred;
  }
  return (await retryDue(db, options)) ?? (await openNew(db, options));
}

export async function claimById(db: Db, id: string): Promise<ClaimRow | undefined> {
  return db.selectFrom('claims').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The open claim of this id; throws WorkerError `internal` when it is not open. */
export async function openClaimById(db: Db, id: string): Promise<ClaimRow> {
  const claim = await claimById(db, id);
  if (claim?.state === 'open') return claim;
  return refuse(
    `Claim ${id} is not open${claim ? ` but ${claim.settled_as ?? claim.state}` : ': it is unknown'}.`,
  );
}

export async function toClaim(db: Db, row: ClaimRow): Promise<Claim> {
  return {
    id: row.id,
    conversation: row.conversation,
    messages: await messagesOf(db, row.id),
    attempts: row.attempts,
    before: earlier(row),
  };
}

function earlier(row: ClaimRow): EarlierAttempt | undefined {
  if (row.before_prompt_kept === null) return undefined;
  return {
    sessionId: row.before_session_id ?? undefined,
    promptKept: row.before_prompt_kept === 1,
    rescued: row.before_rescued === 1,
    lastError: row.before_error ?? undefined,
  };
}

/** The claims to be tried again, the one due first first. */
const retries = (db: Db) =>
  db.selectFrom('claims').selectAll().where('state', '=', 'retry').orderBy('retry_at').orderBy('seq');

/** The conversations that a new claim may be made of, the one that waits longest first. */
const claimable = (db: Db) =>
  db
    .selectFrom('messages')
    .select('messages.conversation')
    .where('messages.state', '=', 'waiting')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('claims')
            .select('claims.id')
            .whereRef('claims.conversation', '=', 'messages.conversation')
            .where('claims.state', '!=', 'settled'),
        ),
      ),
    );

/** The messages that a new claim of this conversation takes. */
const claimed = (db: Db, conversation: string) =>
  db
    .selectFrom('messages')
    .where('conversation', '=', conversation)
    .where('state', '=', 'waiting')
    .orderBy('seq')
    .limit(CLAIM_MESSAGES);

/** As `Mailbox.upcoming`. */
export async function upcomingClaims(
  db: Db,
  { at, limit }: { at: number; limit: number },
): Promise<UpcomingClaim[]> {
  const again = await retries(db).limit(limit).execute();
  const fresh = await claimable(db)
    .groupBy('messages.conversation')
    .orderBy((eb) => eb.fn.min('messages.seq'))
    .limit(limit)
    .execute();
  const claims: UpcomingClaim[] = [];
  for (const row of again) {
    const dueAt = row.retry_at !== null && row.retry_at > at ? row.retry_at : undefined;
    claims.push({ ...(await toClaim(db, row)), dueAt });
  }
  for (const { conversation } of fresh) {
    const rows = await claimed(db, conversation).selectAll().execute();
    const messages = rows.map(toMessage);
    claims.push({ id: undefined, conversation, messages, attempts: 0, before: undefined, dueAt: undefined });
  }
  const later = claims.filter(({ dueAt }) => dueAt !== undefined);
  return [...claims.filter(({ dueAt }) => dueAt === undefined), ...later].slice(0, limit);
}

async function retryDue(db: Db, options: ClaimOptions, conversation?: string): Promise<Claim | undefined> {
  const due = await retries(db)
    .where('retry_at', '<=', options.at)
    .$if(conversation !== undefined, (query) => query.where('conversation', '=', conversation ?? ''))
    .executeTakeFirst();
  if (!due) return undefined;
  // The session of the last attempt stands in `before_session_id`; this attempt has none yet.
  await db
    .updateTable('claims')
    .set({ state: 'open', slot: options.slot, retry_at: null, session_id: null })
    .where('id', '=', due.id)
    .execute();
  await moveMessages(db, due.id, 'claimed', options.at);
  await addStep(db, due.id, 'claimed', options.at);
  return toClaim(db, due);
}

async function openNew(db: Db, options: ClaimOptions, conversation?: string): Promise<Claim | undefined> {
  const oldest = await claimable(db)
    .$if(conversation !== undefined, (query) => query.where('messages.conversation', '=', conversation ?? ''))
    .orderBy('messages.seq')
    .executeTakeFirst();
  if (!oldest) return undefined;
  if (await claimById(db, options.newId)) refuse(`Claim ${options.newId} exists already.`);
  const { highest } = await db
    .selectFrom('claims')
    .select((eb) => eb.fn.max('seq').as('highest'))
    .executeTakeFirstOrThrow();
  const row: ClaimRow = {
    id: options.newId,
    seq: after(highest),
    conversation: oldest.conversation,
    slot: options.slot,
    state: 'open',
    attempts: 0,
    retry_at: null,
    last_error: null,
    session_id: null,
    before_session_id: null,
    before_prompt_kept: null,
    before_rescued: null,
    before_error: null,
    opened_at: options.at,
    settled_at: null,
    settled_as: null,
    reopened_at: null,
  };
  await db.insertInto('claims').values(row).execute();
  if (!mayBecome('waiting', 'claimed')) refuse('A waiting message cannot be claimed.');
  await db
    .updateTable('messages')
    .set({ state: 'claimed', claim_id: row.id })
    .where('id', 'in', claimed(db, row.conversation).select('id'))
    .execute();
  await addStep(db, row.id, 'claimed', options.at);
  return toClaim(db, row);
}
