// What a person does to a message: re-opening a dead one, dropping one that is not to be answered.
import type { Selectable } from 'kysely';
import { WorkerError } from '../domain/errors.js';
import { DROPPED_BY_HAND, mayBecome } from '../domain/message.js';
import { refuse } from './access.js';
import { type ClaimRow, claimById } from './claims.js';
import { moveMessages } from './message-rows.js';
import { addStep } from './steps.js';
import type { Db, MessagesTable } from './tables.js';

/** As `Mailbox.reopen`. */
export async function reopen(db: Db, id: string, at: number): Promise<{ claimId: string; messages: number }> {
  const message = await messageById(db, id);
  if (message.state !== 'dead') {
    throw new WorkerError(
      'usage',
      `Message ${id} is not dead but ${message.state}; only a dead one is tried again.`,
      {
        hint: `See its life with \`inbox-worker show ${id}\`.`,
      },
    );
  }
  const claim = message.claim_id === null ? undefined : await claimById(db, message.claim_id);
  if (!claim) return refuse(`Message ${id} is dead without a claim.`);
  const busy = await db
    .selectFrom('claims')
    .select('id')
    .where('conversation', '=', claim.conversation)
    .where('state', '!=', 'settled')
    .executeTakeFirst();
  await db
    .updateTable('claims')
    .set({
      ...(busy ? { reopened_at: at } : dueAt(at)),
      attempts: 0,
      session_id: null,
      // Whatever session tried it last is long gone, or holds what made it fail: the prompt is sent in full.
      before_session_id: null,
      before_prompt_kept: 0,
      before_rescued: claim.before_rescued ?? 0,
      before_error: claim.last_error,
    })
    .where('id', '=', claim.id)
    .execute();
  const messages = await moveMessages(db, claim.id, 'retry', at);
  await addStep(db, claim.id, 'retry', at, 'reopened by hand');
  return { claimId: claim.id, messages };
}

/** As `Mailbox.drop`. */
export async function drop(db: Db, id: string, at: number): Promise<{ messages: number }> {
  const message = await messageById(db, id);
  if (message.state === 'claimed') {
    throw new WorkerError(
      'usage',
      `Message ${id} is being answered; it cannot be dropped in the middle of its turn.`,
      {
        hint: 'Wait for the turn to end, or stop it with `inbox-worker stop --force`, and try again.',
      },
    );
  }
  if (message.state === 'answered' || message.state === 'silent') {
    throw new WorkerError('usage', `Message ${id} is ${message.state} already; there is nothing to drop.`, {
      hint: `See its life with \`inbox-worker show ${id}\`.`,
    });
  }
  if (message.claim_id === null) {
    if (!mayBecome(message.state, 'silent')) refuse(`A ${message.state} message cannot fall silent.`);
    await db
      .updateTable('messages')
      .set({ state: 'silent', settled_at: at, dropped: 1 })
      .where('id', '=', id)
      .execute();
    return { messages: 1 };
  }
  const claim = await claimById(db, message.claim_id);
  return claim ? { messages: await dropClaim(db, claim, at) } : refuse(`Message ${id} has lost its claim.`);
}

/** The claim of this conversation that was re-opened first and waited, if one did, is due now. */
export async function takeUpReopened(db: Db, conversation: string): Promise<void> {
  const next = await db
    .selectFrom('claims')
    .select(['id', 'reopened_at'])
    .where('conversation', '=', conversation)
    .where('reopened_at', 'is not', null)
    .orderBy('seq')
    .executeTakeFirst();
  if (next?.reopened_at == null) return;
  await db.updateTable('claims').set(dueAt(next.reopened_at)).where('id', '=', next.id).execute();
}

const dueAt = (at: number) =>
  ({ state: 'retry', retry_at: at, reopened_at: null, settled_as: null, settled_at: null }) as const;

async function dropClaim(db: Db, claim: ClaimRow, at: number): Promise<number> {
  await db
    .updateTable('claims')
    .set({ state: 'settled', settled_as: 'silent', settled_at: at, retry_at: null, reopened_at: null })
    .where('id', '=', claim.id)
    .execute();
  const messages = await moveMessages(db, claim.id, 'silent', at);
  await db.updateTable('messages').set({ dropped: 1 }).where('claim_id', '=', claim.id).execute();
  await addStep(db, claim.id, 'silent', at, DROPPED_BY_HAND);
  // Where it was the unsettled one of its conversation, another may have waited for it.
  if (claim.state !== 'settled') await takeUpReopened(db, claim.conversation);
  return messages;
}

async function messageById(db: Db, id: string): Promise<Selectable<MessagesTable>> {
  const row = await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
  if (row) return row;
  throw new WorkerError('usage', `The mailbox never saw a message ${id}.`, {
    hint: 'Check the id: `inbox-worker dead` lists what was given up, `inbox-worker messages` all.',
  });
}
