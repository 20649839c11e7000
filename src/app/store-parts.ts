// The store of one inbox, opened under its lease: nobody else writes there while we do.
import { endpointOf, inboxIdentity, type ResolvedInbox, type Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { processHome, processStart } from '../lib/process-identity.js';
import { openStore, type Store } from '../mailbox/index.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { type InboxFolder, openInboxFolder } from './folders.js';
import { takeLease } from './lease.js';
import type { Releases } from './releases.js';
import { forgottenMail, unsettledIn } from './rotated-key.js';
import { identityOf } from './stopped-store.js';
import { storePlace } from './store-place.js';

export interface StoreWish {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly releases: Releases;
  /** Identities that other agents of this process answer. */
  readonly cared: readonly string[];
  /** Ends a standby. */
  readonly signal: AbortSignal;
  tell(text: string): void;
  standBy(text: string): void;
}

export interface LeasedStore {
  readonly store: Store;
  readonly folder: InboxFolder;
  /** The name of the inbox's state folder and lease. */
  readonly identity: string;
  /** Sentences about mail that another key left behind: for when ours has proven to be one. */
  readonly forgotten: readonly string[];
}

/** @throws WorkerError `lease-held`, `store-unusable` */
export async function openLeasedStore(wish: StoreWish): Promise<LeasedStore | 'aborted'> {
  const { settings, inbox, clock, ids, releases } = wish;
  // Addresses and command lines may hold secrets, so the label is their hash: the identity of the inbox without a key.
  const endpoint = inboxIdentity(endpointOf(inbox.server), undefined);
  const identity = identityOf(settings, inbox);
  const { stateDir: stateRoot, leaseStaleMs: staleMs } = settings;
  const forgotten = await forgottenMail({
    stateRoot,
    endpoint,
    identity,
    cared: wish.cared,
    staleMs,
    clock,
  });
  const folder = await openInboxFolder(settings.stateDir, identity, endpoint);
  if (settings.databaseUrl !== undefined) await refuseLocalMail(folder, clock);
  const store = await openStore({
    ...storePlace(settings, identity),
    clock,
    owner: {
      ...processHome(),
      pid: process.pid,
      processStart: processStart(process.pid) ?? '',
      folder: settings.dir,
      owner: ids.uuid(),
    },
    staleMs: settings.leaseStaleMs,
    heartbeatMs: settings.leaseHeartbeatMs,
  });
  releases.add(() => store.close());
  const taken = await takeLease({
    lease: store.lease,
    clock,
    standby: settings.standby,
    retryMs: Math.min(settings.leaseHeartbeatMs, 5_000),
    signal: wish.signal,
    tell: wish.tell,
    standBy: wish.standBy,
  });
  if (taken === 'aborted') return 'aborted';
  releases.add(() => store.lease.release());
  return { store, folder, identity, forgotten };
}

/** Two stores of one inbox must not both hold what is to be answered. */
async function refuseLocalMail({ database, path }: InboxFolder, clock: Clock): Promise<void> {
  const left = await unsettledIn(database, clock);
  if (!left) return;
  throw new WorkerError(
    'store-unusable',
    `database_url is set, and ${database} still holds ${left} message(s) or replies to see to.`,
    {
      hint: `Let a worker without database_url work them off first (inbox-worker run --once), or move ${path} away.`,
    },
  );
}
