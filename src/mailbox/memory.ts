// A conversation's memory: what they and we said in the claims before this one.
import { canonicalName } from '../domain/addressing.js';
import type { Claim } from '../domain/claim.js';
import type { Exchange } from '../domain/message.js';
import { withinLimits } from './memory-limits.js';
import type { Db } from './tables.js';

/** An exchange with its place: by claim, then theirs before ours, then by number. */
interface Placed {
  readonly claimSeq: number;
  readonly side: 0 | 1;
  readonly number: number;
  readonly exchange: Exchange;
}

/**
 * Told claim by claim, not by the clock: a message that came in while the one before was being answered reads
 * better after that answer, and a clock that jumps changes nothing.
 */
export async function remember(
  db: Db,
  claim: Pick<Claim, 'id' | 'conversation'>,
  limits: { readonly exchanges: number; readonly chars: number },
): Promise<Exchange[]> {
  if (limits.exchanges <= 0) return [];
  const own = await db.selectFrom('claims').select('seq').where('id', '=', claim.id).executeTakeFirst();
  // A claim we do not know comes after all that we know.
  const before = own?.seq ?? Number.MAX_SAFE_INTEGER;
  const placed = [
    ...(await theirs(db, claim.conversation, before, limits.exchanges)),
    ...(await ours(db, claim.conversation, before, limits.exchanges)),
  ].sort((a, b) => a.claimSeq - b.claimSeq || a.side - b.side || a.number - b.number);
  return withinLimits(
    placed.slice(-limits.exchanges).map((one) => one.exchange),
    limits.chars,
  );
}

async function theirs(db: Db, conversation: string, before: number, limit: number): Promise<Placed[]> {
  const rows = await db
    .selectFrom('messages')
    .innerJoin('claims', 'claims.id', 'messages.claim_id')
    .select(['messages.text', 'messages.sender', 'messages.sent_at', 'messages.spooled_at'])
    .select(['messages.seq as number', 'claims.seq as claim_seq'])
    .where('messages.conversation', '=', conversation)
    .where('messages.state', 'in', ['answered', 'silent'])
    .where('messages.dropped', '=', 0)
    .where('claims.seq', '<', before)
    .orderBy('claims.seq', 'desc')
    .orderBy('messages.seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    claimSeq: row.claim_seq,
    side: 0,
    number: row.number,
    exchange: { from: 'them', name: row.sender, text: row.text, at: row.sent_at ?? row.spooled_at },
  }));
}

async function ours(db: Db, conversation: string, before: number, limit: number): Promise<Placed[]> {
  const sends = await db
    .selectFrom('outbox')
    .innerJoin('claims', 'claims.id', 'outbox.claim_id')
    .select(['outbox.send_id', 'outbox.queued_at', 'claims.seq as claim_seq'])
    .where('outbox.part', '=', 0)
    .where('outbox.state', '!=', 'refused')
    .where('claims.seq', '<', before)
    .where(({ and, or, eb }) =>
      or([
        and([
          eb('outbox.conversation', '=', conversation),
          eb('outbox.kind', '=', 'reply'),
          eb('claims.state', '=', 'settled'),
        ]),
        and([eb('outbox.conversation', '=', canonicalName(conversation)), eb('outbox.kind', '=', 'other')]),
      ]),
    )
    .orderBy('claims.seq', 'desc')
    .orderBy('outbox.id', 'desc')
    .limit(limit)
    .execute();
  const texts = await wholeTexts(
    db,
    sends.map((send) => send.send_id),
  );
  return sends.map((send) => ({
    claimSeq: send.claim_seq,
    side: 1,
    number: send.send_id,
    exchange: { from: 'us', name: 'you', text: texts.get(send.send_id) ?? '', at: send.queued_at },
  }));
}

/** The parts of each send joined again, up to the one that was refused. */
async function wholeTexts(db: Db, sendIds: readonly number[]): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  if (sendIds.length === 0) return texts;
  const parts = await db
    .selectFrom('outbox')
    .select(['send_id', 'text'])
    .where('send_id', 'in', sendIds)
    .where('state', '!=', 'refused')
    .orderBy('id')
    .execute();
  for (const part of parts) texts.set(part.send_id, (texts.get(part.send_id) ?? '') + part.text);
  return texts;
}
