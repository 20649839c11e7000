// The slots port over the store: a row a slot, replaced whole.
import type { SlotMemory, Slots } from '../ports/slots.js';
import type { Fenced } from './access.js';

export class StoreSlots implements Slots {
  readonly #store: Fenced;

  constructor(store: Fenced) {
    this.#store = store;
  }

  load(slot: number): Promise<SlotMemory | undefined> {
    return this.#store.read(async (db) => {
      const row = await db.selectFrom('slots').selectAll().where('slot', '=', slot).executeTakeFirst();
      return (
        row && {
          slot: row.slot,
          pid: row.pid ?? undefined,
          processStart: row.process_start ?? undefined,
          sessionId: row.session_id ?? undefined,
          conversation: row.conversation ?? undefined,
        }
      );
    });
  }

  save(memory: SlotMemory): Promise<void> {
    return this.#store.write(async (db) => {
      const change = {
        pid: memory.pid ?? null,
        process_start: memory.processStart ?? null,
        session_id: memory.sessionId ?? null,
        conversation: memory.conversation ?? null,
      };
      await db
        .insertInto('slots')
        .values({ slot: memory.slot, ...change })
        .onConflict((conflict) => conflict.column('slot').doUpdateSet(change))
        .execute();
    });
  }
}
