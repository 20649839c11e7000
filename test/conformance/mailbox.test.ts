// Runs the store's conformance suite over SQLite and over its twin in memory.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/mailbox/index.js';
import { MemoryDisk, openMemoryStore } from '../support/memory-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import {
  type Bench,
  HEARTBEAT_MS,
  holder,
  mailboxConformance,
  STALE_MS,
  type StoreWishes,
  startOf,
} from './mailbox.js';

const NEVER_MS = 2 ** 31 - 1;
/** SQLite's heart beats in real time, whatever the bench's clock says. */
const REAL_HEARTBEAT_MS = 5;

interface OpenOptions {
  readonly owner: StoreWishes['owner'];
  readonly clock: VirtualClock;
  readonly heartbeatMs: number;
}

function benchOver(
  openOne: (options: OpenOptions) => Store | Promise<Store>,
  beatMs: number,
  remove: () => Promise<void>,
): Bench {
  const clock = new VirtualClock();
  const stores: Store[] = [];
  return {
    clock,
    async open(wishes = { owner: holder('a') }) {
      const heartbeatMs = wishes.beating ? beatMs : NEVER_MS;
      const store = await openOne({ owner: wishes.owner, clock, heartbeatMs });
      stores.push(store);
      return store;
    },
    async close() {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}

mailboxConformance('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mailbox-'));
  return benchOver(
    (options) => openStore({ ...options, path: join(folder, 'worker.db'), staleMs: STALE_MS, startOf }),
    REAL_HEARTBEAT_MS,
    () => rm(folder, { recursive: true }),
  );
});

mailboxConformance('memory', async () => {
  const disk = new MemoryDisk();
  return benchOver(
    (options) => openMemoryStore({ ...options, disk, staleMs: STALE_MS, startOf }),
    HEARTBEAT_MS,
    async () => {},
  );
});
