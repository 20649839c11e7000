// Opens the store and puts its parts together.
import type { LeaseHolder } from '../domain/lease.js';
import { processStart } from '../lib/process-identity.js';
import type { Clock } from '../ports/clock.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { Lease } from '../ports/lease.js';
import type { Ledger } from '../ports/ledger.js';
import type { Mailbox } from '../ports/mailbox.js';
import type { Outbox } from '../ports/outbox.js';
import type { Reports } from '../ports/reports.js';
import type { Slots } from '../ports/slots.js';
import { Access } from './access.js';
import type { OpenDatabase } from './database.js';
import { StoreDeliveries } from './deliveries.js';
import { StoreLease } from './lease.js';
import { StoreLedger } from './ledger.js';
import { StoreMailbox } from './mailbox.js';
import { migrate, requireCurrent } from './migrate.js';
import { StoreOutbox } from './outbox.js';
import { openPostgres, type PostgresPlace } from './postgres.js';
import { StoreReports } from './reports.js';
import { StoreSlots } from './slots.js';
import { openSqlite } from './sqlite.js';
import { toStoreError } from './store-errors.js';

const DEFAULT_STALE_MS = 5 * 60_000;
const DEFAULT_HEARTBEAT_MS = 20_000;

export interface StoreOptions {
  /** The database file, or `:memory:`. Its folder is made (mode 0700) where missing. */
  readonly path: string;
  /** A schema of a PostgreSQL database, in place of the file. */
  readonly postgres?: PostgresPlace | undefined;
  readonly clock: Clock;
  /** Who we are at the lease: a uuid of this run, and where it runs. */
  readonly owner: LeaseHolder & { readonly owner: string };
  /** A lease without a heartbeat for this long may be taken, ms. Default 5 minutes. */
  readonly staleMs?: number | undefined;
  /** Default 20 s. */
  readonly heartbeatMs?: number | undefined;
  /** Only look: nothing is made, migrated or written, and the lease cannot be taken. */
  readonly readOnly?: boolean | undefined;
  /** Start time of a process on this host; the tests bring their own. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
}

export interface Store {
  readonly mailbox: Mailbox;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly reports: Reports;
  readonly slots: Slots;
  readonly lease: Lease;
  readonly deliveries: Deliveries;
  /** Lets running transactions end, then closes. The lease is not given back: that is `lease.release()`. May be repeated. */
  close(): Promise<void>;
}

/**
 * Opens the store; its schema is ours when this resolves. Throws WorkerError `store-unusable`: a damaged file, one of
 * a newer version, a folder we may not write, a full disk.
 * Every write waits for `lease.acquire()`: before it, and after the lease is lost, it is refused with `lease-lost`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { database, place } = await openDatabase(options);
  try {
    if (options.readOnly) await requireCurrent(database, place);
    else await migrate(database, place);
  } catch (error) {
    await database.db.destroy();
    throw database.explain(error);
  }
  return storeOver(database, place, options);
}

/** With its name for sentences. */
async function openDatabase({
  path,
  postgres,
  readOnly = false,
}: StoreOptions): Promise<{ database: OpenDatabase; place: string }> {
  if (postgres) {
    const { database, name } = await openPostgres(postgres, { readOnly });
    return { database, place: name };
  }
  try {
    return { database: openSqlite(path, { readOnly }), place: path };
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** The store over an open database whose schema is ours. */
export function storeOver(database: OpenDatabase, place: string, options: StoreOptions): Store {
  const access = new Access(database, place);
  const lease = new StoreLease(access, {
    clock: options.clock,
    owner: options.owner,
    staleMs: options.staleMs ?? DEFAULT_STALE_MS,
    heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
    startOf: options.startOf ?? processStart,
  });
  return {
    mailbox: new StoreMailbox(lease),
    outbox: new StoreOutbox(lease),
    ledger: new StoreLedger(lease),
    reports: new StoreReports(lease),
    slots: new StoreSlots(lease),
    lease,
    deliveries: new StoreDeliveries(lease),
    async close() {
      lease.stopHeartbeat();
      await access.close();
    },
  };
}
