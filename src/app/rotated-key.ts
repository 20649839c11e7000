// A changed key makes a new identity: the start finds what the old one left unsettled, and says how to adopt it.
import { basename } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import { processHome } from '../lib/process-identity.js';
import { openStore } from '../mailbox/index.js';
import type { Clock } from '../ports/clock.js';
import { foldersOfEndpoint, type InboxFolder } from './folders.js';

/** @throws WorkerError `setting-invalid` when another folder of this endpoint holds unsettled messages and nobody runs it */
export async function refuseForgottenMail(
  root: string,
  endpoint: string,
  identity: string,
  clock: Clock,
): Promise<void> {
  for (const folder of await foldersOfEndpoint(root, endpoint, identity)) {
    const waiting = await unsettledIn(folder, clock);
    if (waiting === 0) continue;
    throw new WorkerError(
      'setting-invalid',
      `The same inbox address has another state folder, ${folder.path}, with ${waiting} unsettled message(s): its key was probably changed.`,
      {
        hint: `To go on with it, set inbox_id to ${basename(folder.path)}; to leave it behind, move that folder away.`,
      },
    );
  }
}

/** 0 also when the folder belongs to a live worker (another agent of the same server) or cannot be read. */
async function unsettledIn(folder: InboxFolder, clock: Clock): Promise<number> {
  try {
    const owner = { ...processHome(), pid: process.pid, processStart: '', folder: '', owner: 'nobody' };
    const store = await openStore({ path: folder.database, clock, owner, readOnly: true });
    try {
      if (await store.lease.show()) return 0;
      const { messages } = await store.mailbox.counts();
      return messages.waiting + messages.claimed + messages.retry;
    } finally {
      await store.close();
    }
  } catch {
    return 0;
  }
}
