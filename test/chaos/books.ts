// The worker's own books, read while it runs and after.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageState } from '../../src/domain/message.js';
import { openStore } from '../../src/mailbox/index.js';

export interface Books {
  readonly unsettled: number;
  readonly known: number;
  /** The texts of sends of which nobody can tell whether they arrived. */
  readonly unsure: readonly string[];
  readonly refused: number;
  readonly turns: number;
  /** Undefined: the worker has never had it. */
  stateOf(id: string): MessageState | undefined;
}

/** @param root the state root of the worker; undefined before it has made its store */
export async function readBooks(root: string, ids: readonly string[] = []): Promise<Books | undefined> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const database = names.find((name) => name.endsWith('worker.db'));
  if (database === undefined) return undefined;
  const store = await openStore({
    path: join(root, database),
    clock: { now: Date.now, sleepUntil: async () => {} },
    owner: { owner: 'reader', host: '', bootId: '', pidNamespace: '', pid: 0, processStart: '', folder: '' },
    readOnly: true,
  });
  try {
    const { messages } = await store.mailbox.counts();
    const sends = await store.outbox.counts();
    const { turns } = await store.ledger.totals(0);
    const states = new Map<string, MessageState>();
    for (const id of ids) {
      const life = await store.mailbox.show(id);
      if (life) states.set(id, life.state);
    }
    return {
      unsettled: messages.waiting + messages.claimed + messages.retry + sends.queued + sends.sending,
      known: Object.values(messages).reduce((sum, count) => sum + count, 0),
      unsure: (await store.outbox.list({ states: ['unsure'], limit: 1_000 })).map(({ text }) => text),
      refused: sends.refused,
      turns,
      stateOf: (id) => states.get(id),
    };
  } finally {
    await store.close();
  }
}
