// The steps of a claim, each with its time: what the life of a message is told from.
import type { MessageState } from '../domain/message.js';
import type { LifeStep } from '../ports/mailbox.js';
import { after } from './access.js';
import type { Db } from './tables.js';

export async function addStep(
  db: Db,
  claimId: string,
  state: MessageState,
  at: number,
  note?: string,
): Promise<void> {
  const { highest } = await db
    .selectFrom('steps')
    .select((eb) => eb.fn.max('seq').as('highest'))
    .where('claim_id', '=', claimId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('steps')
    .values({ claim_id: claimId, seq: after(highest), state, at, note: note ?? null })
    .execute();
}

export async function stepsOf(db: Db, claimId: string): Promise<LifeStep[]> {
  const rows = await db
    .selectFrom('steps')
    .select(['state', 'at', 'note'])
    .where('claim_id', '=', claimId)
    .orderBy('seq')
    .execute();
  return rows.map((row) => ({ state: row.state, at: row.at, note: row.note ?? undefined }));
}
