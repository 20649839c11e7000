// A changed key makes a new identity: the start finds what the old one left unsettled, and says how to adopt it.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { judgeLease, type LeaseHolder } from '../domain/lease.js';
import { processHome, processStart } from '../lib/process-identity.js';
import { openStore, type Store } from '../mailbox/index.js';
import type { Clock } from '../ports/clock.js';
import { foldersOfEndpoint, type InboxFolder } from './folders.js';

export interface ForgottenMailWish {
  readonly stateRoot: string;
  /** As the folders are labelled. */
  readonly endpoint: string;
  readonly identity: string;
  /** Inboxes of which it is known that they have an agent: those of the same process. */
  readonly cared: readonly string[];
  readonly staleMs: number;
  readonly clock: Clock;
}

/**
 * Other agents of the same server have folders of the same endpoint too, so this is a sentence and no refusal.
 * Answers one for each folder with unsettled messages that nobody works off.
 */
export async function forgottenMail(wish: ForgottenMailWish): Promise<string[]> {
  const sentences: string[] = [];
  for (const folder of await foldersOfEndpoint(wish.stateRoot, wish.endpoint, wish.identity)) {
    const left = wish.cared.includes(basename(folder.path)) ? undefined : await leftIn(folder, wish);
    if (!left) continue;
    const whose = left.folder === undefined ? '' : ` It was last answered from ${left.folder}.`;
    const id = basename(folder.path);
    sentences.push(
      `The same inbox address has another mailbox with ${left.messages} unsettled message(s) and nobody to answer them.${whose} ` +
        `If its key was changed, set inbox_id to ${id} to go on with it; if it is another agent's, all is well.`,
    );
  }
  return sentences;
}

/** Undefined when nothing waits there, somebody lives there, or it cannot be read. */
async function leftIn(
  { database }: InboxFolder,
  { clock, staleMs }: ForgottenMailWish,
): Promise<{ messages: number; folder: string | undefined } | undefined> {
  const me: LeaseHolder = { ...processHome(), pid: process.pid, processStart: '', folder: '' };
  const owner = { ...me, owner: 'nobody' };
  try {
    const store = await openStore({ path: database, clock, owner, readOnly: true });
    try {
      const row = await store.lease.show();
      if (judgeLease(row, owner, clock.now(), staleMs, processStart) === 'held') return undefined;
      const waiting = await unsettledOf(store);
      return waiting === 0 ? undefined : { messages: waiting, folder: row?.holder.folder };
    } finally {
      await store.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * How much that file still has to do: messages not settled, replies not out.
 * @throws WorkerError `store-unusable` where the file is there and cannot be read
 */
export async function unsettledIn(database: string, clock: Clock): Promise<number> {
  if (!existsSync(database)) return 0;
  const me = { ...processHome(), pid: process.pid, processStart: '', folder: '', owner: 'nobody' };
  const store = await openStore({ path: database, clock, owner: me, readOnly: true });
  try {
    const { queued, sending, unsure } = await store.outbox.counts();
    return (await unsettledOf(store)) + queued + sending + unsure;
  } finally {
    await store.close();
  }
}

async function unsettledOf({ mailbox }: Store): Promise<number> {
  const { messages } = await mailbox.counts();
  return messages.waiting + messages.claimed + messages.retry;
}
