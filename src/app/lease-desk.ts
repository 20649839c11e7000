// The lease of an inbox, looked at and taken away by hand, from outside the worker that holds it.
import { endpointOf, inboxIdentity, type ResolvedInbox, type Settings } from '../config/index.js';
import { judgeLease, type LeaseRow, type LeaseVerdict } from '../domain/lease.js';
import { processHome, processStart } from '../lib/process-identity.js';
import { openStore, type Store } from '../mailbox/index.js';
import { storePlace } from './store-place.js';
import { systemClock } from './system.js';

export interface LeaseView {
  readonly row: LeaseRow | undefined;
  /** What a worker that starts here and now would make of it. */
  readonly verdict: LeaseVerdict;
  /** The first characters of its owner: what `--release` asks for, so that nobody evicts whom he has not seen. */
  readonly tag: string | undefined;
}

const TAG_CHARS = 8;

/** @throws WorkerError `store-unusable` where no worker has ever answered this inbox */
export async function viewLease(settings: Settings, inbox: ResolvedInbox): Promise<LeaseView> {
  return withStore(settings, inbox, true, async (store, me) => {
    const row = await store.lease.show();
    const verdict = judgeLease(row, me, systemClock.now(), settings.leaseStaleMs, processStart);
    return { row, verdict, tag: row?.owner.slice(0, TAG_CHARS) };
  });
}

/** Takes the lease from the owner whose tag this is. Answers whether there was such a one. */
export async function evictOwner(settings: Settings, inbox: ResolvedInbox, tag: string): Promise<boolean> {
  return withStore(settings, inbox, false, async (store) => {
    const row = await store.lease.show();
    if (!row || tag.length < TAG_CHARS || !row.owner.startsWith(tag)) return false;
    return store.lease.evict(row.owner);
  });
}

async function withStore<T>(
  settings: Settings,
  inbox: ResolvedInbox,
  readOnly: boolean,
  work: (store: Store, me: Parameters<typeof judgeLease>[1]) => Promise<T>,
): Promise<T> {
  const identity = inboxIdentity(endpointOf(inbox.server), inbox.key, settings.inboxId);
  const me = { ...processHome(), pid: process.pid, processStart: '', folder: settings.dir, owner: 'by-hand' };
  const store = await openStore({
    ...storePlace(settings, identity),
    clock: systemClock,
    owner: me,
    readOnly,
  });
  try {
    return await work(store, me);
  } finally {
    await store.close();
  }
}
