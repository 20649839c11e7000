// The messages of a span of time: how many came in, and how many ended how.
import type { MessageTally } from '../domain/status.js';
import type { Db } from './tables.js';

export async function tally(db: Db, since: number): Promise<MessageTally> {
  const arrived = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('spooled_at', '>=', since)
    .executeTakeFirstOrThrow();
  const ended = await db
    .selectFrom('messages')
    .select(['state', (eb) => eb.fn.countAll().as('count')])
    .where('settled_at', '>=', since)
    .groupBy('state')
    .execute();
  const of = (state: string): number => Number(ended.find((row) => row.state === state)?.count ?? 0);
  return { in: Number(arrived.count), answered: of('answered'), silent: of('silent'), dead: of('dead') };
}
