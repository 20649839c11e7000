// The store of a worker that does not run: opened to read, or under its lease for the moment of one write.
import { endpointOf, inboxIdentity, type ResolvedInbox, type Settings } from '../config/index.js';
import type { Operations } from '../control/index.js';
import { processHome, processStart } from '../lib/process-identity.js';
import { openStore, type Store } from '../mailbox/index.js';
import { takeLease } from './lease.js';
import { storeOperations } from './operations.js';
import { mustExist, storePlace } from './store-place.js';
import { systemClock, systemIds } from './system.js';

/** The name of the inbox's state folder and lease. */
export function identityOf(settings: Settings, inbox: ResolvedInbox): string {
  return inboxIdentity(endpointOf(inbox.server), inbox.key, settings.inboxId);
}

/**
 * Every call opens the store and closes it again. All reject with WorkerError `store-unusable` where there is no
 * store; writes with `lease-held`, naming the owner, where somebody alive holds the lease.
 * @param tell one sentence about whose lease was taken over
 */
export function stoppedOperations(
  settings: Settings,
  inbox: ResolvedInbox,
  tell: (text: string) => void,
): Operations {
  const place = storePlace(settings, identityOf(settings, inbox));
  const open = (readOnly: boolean): Promise<Store> =>
    openStore({
      ...place,
      clock: systemClock,
      owner: {
        ...processHome(),
        pid: process.pid,
        processStart: processStart(process.pid) ?? '',
        folder: settings.dir,
        owner: systemIds.uuid(),
      },
      staleMs: settings.leaseStaleMs,
      heartbeatMs: settings.leaseHeartbeatMs,
      readOnly,
    });

  const reading = async <T>(work: (operations: Operations) => Promise<T>): Promise<T> => {
    await mustExist(place, settings.dir);
    const store = await open(true);
    try {
      return await work(storeOperations(store, systemClock));
    } finally {
      await store.close();
    }
  };
  const writing = async <T>(work: (operations: Operations) => Promise<T>): Promise<T> => {
    // Opened to write it would be made where it is missing.
    await mustExist(place, settings.dir);
    const store = await open(false);
    try {
      await takeLease({
        lease: store.lease,
        clock: systemClock,
        standby: false,
        retryMs: settings.leaseHeartbeatMs,
        signal: new AbortController().signal,
        tell,
      });
      return await work(storeOperations(store, systemClock));
    } finally {
      await store.lease.release();
      await store.close();
    }
  };
  return {
    show: (id) => reading((operations) => operations.show(id)),
    turns: (limit) => reading((operations) => operations.turns(limit)),
    conversations: () => reading((operations) => operations.conversations()),
    messages: (query) => reading((operations) => operations.messages(query)),
    idsLike: (prefix) => reading((operations) => operations.idsLike(prefix)),
    series: (query) => reading((operations) => operations.series(query)),
    latencies: (span) => reading((operations) => operations.latencies(span)),
    dead: () => reading((operations) => operations.dead()),
    retry: (id) => writing((operations) => operations.retry(id)),
    drop: (id) => writing((operations) => operations.drop(id)),
    settleUnsure: (rowId, how) => writing((operations) => operations.settleUnsure(rowId, how)),
  };
}
