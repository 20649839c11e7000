// Settling: the end of an attempt, with its messages' states and its reply, all in one commit.
import type { ReplyText, Settlement } from '../ports/mailbox.js';
import { refuse } from './access.js';
import { takeUpReopened } from './by-hand.js';
import { type ClaimRow, openClaimById } from './claims.js';
import { moveMessages } from './message-rows.js';
import { addSend, nextOrdinal, sendsOf } from './sends.js';
import { addStep } from './steps.js';
import type { Db } from './tables.js';

/** Throws WorkerError `internal`, with nothing changed, when the claim is not open or the settlement makes no sense. */
export async function settleClaim(
  db: Db,
  claimId: string,
  settlement: Settlement,
  at: number,
): Promise<void> {
  const claim = await openClaimById(db, claimId);
  switch (settlement.kind) {
    case 'answered':
      if (settlement.reply) await addOwn(db, claim, 'reply', settlement.reply, at);
      else if ((await sendsOf(db, claimId, 'reply')) === 0) {
        refuse(`Claim ${claimId} cannot be answered: it has no reply.`);
      }
      return end(db, claim, 'answered', at);
    case 'silent':
      return end(db, claim, 'silent', at);
    case 'dead':
      if (settlement.notice) await addOwn(db, claim, 'notice', settlement.notice, at);
      return end(db, claim, 'dead', at, settlement.error);
    case 'retry':
      return retry(db, claim, settlement, at);
  }
}

async function addOwn(
  db: Db,
  claim: ClaimRow,
  kind: 'reply' | 'notice',
  text: ReplyText,
  at: number,
): Promise<void> {
  const ordinal = await nextOrdinal(db, claim.id, text.to, kind);
  await addSend(db, { ...text, claimId: claim.id, conversation: claim.conversation, kind, ordinal }, at);
}

async function end(
  db: Db,
  claim: ClaimRow,
  as: 'answered' | 'silent' | 'dead',
  at: number,
  error?: string,
): Promise<void> {
  await db
    .updateTable('claims')
    .set({
      state: 'settled',
      settled_as: as,
      settled_at: at,
      retry_at: null,
      // What killed it is the last of its failed attempts.
      ...(error === undefined ? {} : { last_error: error, attempts: claim.attempts + 1 }),
    })
    .where('id', '=', claim.id)
    .execute();
  await moveMessages(db, claim.id, as, at);
  await addStep(db, claim.id, as, at, error);
  await takeUpReopened(db, claim.conversation);
}

async function retry(
  db: Db,
  claim: ClaimRow,
  settlement: Extract<Settlement, { kind: 'retry' }>,
  at: number,
): Promise<void> {
  const { before } = settlement;
  await db
    .updateTable('claims')
    .set({
      state: 'retry',
      attempts: claim.attempts + (settlement.countsAttempt ? 1 : 0),
      retry_at: settlement.retryAt,
      last_error: settlement.error,
      before_session_id: before.sessionId ?? null,
      before_prompt_kept: before.promptKept ? 1 : 0,
      before_rescued: before.rescued ? 1 : 0,
      before_error: before.lastError ?? null,
    })
    .where('id', '=', claim.id)
    .execute();
  await moveMessages(db, claim.id, 'retry', at);
  await addStep(db, claim.id, 'retry', at, settlement.error);
}
