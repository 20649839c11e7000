// The slots port over the store: a row a slot, replaced whole.
import type { Selectable } from 'kysely';
import type { SlotMemory, Slots } from '../ports/slots.js';
import type { Fenced } from './access.js';
import type { SlotsTable } from './tables.js';

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
          wear: wearOf(row),
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
        session_turns: memory.wear?.turns ?? null,
        session_started_at: memory.wear?.startedAt ?? null,
        session_tokens: memory.wear?.contextTokens ?? null,
      };
      await db
        .insertInto('slots')
        .values({ slot: memory.slot, ...change })
        .onConflict((conflict) => conflict.column('slot').doUpdateSet(change))
        .execute();
    });
  }
}

function wearOf(row: Selectable<SlotsTable>): SlotMemory['wear'] {
  const { session_turns: turns, session_started_at: startedAt, session_tokens: contextTokens } = row;
  // A store of an older version knows the session and not what it has come to.
  if (turns === null || startedAt === null || contextTokens === null) return undefined;
  return { turns, startedAt, contextTokens };
}
