// The deliveries port over the store: the newest webhook ids, so that a repeat is known.
import type { Deliveries } from '../ports/deliveries.js';
import { after, type Fenced } from './access.js';

/** Senders repeat within minutes or hours; 5,000 ids are days of mail and a few hundred kilobytes. */
const KEPT_DELIVERIES = 5_000;

export class StoreDeliveries implements Deliveries {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  remember(id: string, at: number): Promise<boolean> {
    return this.#store.write(async (db) => {
      const { highest } = await db
        .selectFrom('deliveries')
        .select((eb) => eb.fn.max('seq').as('highest'))
        .executeTakeFirstOrThrow();
      const seq = after(highest);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('deliveries')
        .values({ id, seq, seen_at: at })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows !== 1n) return false;
      await db
        .deleteFrom('deliveries')
        .where('seq', '<=', seq - KEPT_DELIVERIES)
        .execute();
      return true;
    });
  }
}
