// What can be told of an agent whose worker does not run: read from its store and files, with nothing changed.
import type { ResolvedInbox, Settings } from '../config/index.js';
import { fileFlags } from '../control/index.js';
import { type ErrorCode, WorkerError } from '../domain/errors.js';
import { judgeLease, type LeaseHolder } from '../domain/lease.js';
import type { Preview } from '../domain/preview.js';
import type { EndReport, StoppedStatus } from '../domain/status.js';
import { processHome, processStart } from '../lib/process-identity.js';
import { openStore, type Store } from '../mailbox/index.js';
import type { Flags } from '../ports/flags.js';
import { Gate } from '../worker/gate.js';
import { Guard } from '../worker/guard.js';
import { HoldBoard } from '../worker/hold-board.js';
import { previewNext } from '../worker/preview.js';
import { SlotSession } from '../worker/slot-session.js';
import { storeReport } from '../worker/store-report.js';
import { agentFolder } from './folders.js';
import { workerOptions } from './options.js';
import { identityOf } from './stopped-store.js';
import { mustExist, storePlace } from './store-place.js';
import { systemClock } from './system.js';

const NOBODY: LeaseHolder & { readonly owner: string } = {
  ...processHome(),
  ...{ pid: process.pid, processStart: '', folder: '', owner: 'nobody' },
};

/** The store is there, and cannot be read. */
const STORE_FAULTS: readonly ErrorCode[] = ['store-unusable', 'store-unreachable'];

const NEVER: EndReport = {
  ended: 'never',
  why: 'No worker has answered this inbox yet.',
  lastSeenAt: undefined,
  holder: undefined,
};

/** Never rejects over a store that is missing or cannot be read: that is part of what is told. */
export async function stoppedStatus(
  settings: Settings,
  inbox: ResolvedInbox,
  version: string,
): Promise<StoppedStatus> {
  const common = {
    running: false,
    health: 'stopped',
    version,
    paused: await flagsOf(settings).paused(),
  } as const;
  if (!(await hasRun(settings, inbox))) return { ...common, ...NEVER };
  try {
    return await withStore(settings, inbox, async (store) => {
      const now = systemClock.now();
      const options = workerOptions(settings, inbox.name, version);
      const session = new SlotSession(store.slots, options, systemClock);
      await session.load();
      const [lastTurn] = await store.ledger.recent(1);
      const spending = await new Guard({ ...store, clock: systemClock }, options, now).spending();
      return {
        ...common,
        ...(await endOf(store, settings)),
        ...(await storeReport(store, now)),
        budgets: spending.filter(({ window }) => window !== 'run'),
        session: session.report,
        lastTurn: lastTurn && {
          conversation: lastTurn.conversation,
          startedAt: lastTurn.startedAt,
          endedAt: lastTurn.endedAt,
          verdict: lastTurn.verdict,
        },
      };
    });
  } catch (error) {
    const unread = error instanceof WorkerError && STORE_FAULTS.includes(error.code);
    if (!unread) throw error;
    return { ...common, ...NEVER, ended: 'unknown', why: error.message };
  }
}

/** What a worker would do that is started now. @throws WorkerError `store-unusable` where the store cannot be read */
export async function stoppedPreview(
  settings: Settings,
  inbox: ResolvedInbox,
  version: string,
): Promise<Preview> {
  if (!(await hasRun(settings, inbox))) return unknownYet();
  return withStore(settings, inbox, async (store) => {
    const options = workerOptions(settings, inbox.name, version);
    const parts = { ...store, clock: systemClock, flags: flagsOf(settings) };
    const holds = new HoldBoard(systemClock, { on: () => {} });
    const guard = new Guard(parts, options, systemClock.now());
    const session = new SlotSession(store.slots, options, systemClock);
    await session.load();
    const gate = new Gate(parts, options, holds, guard, {
      isQuiet: () => false,
      turns: () => 0,
      onStop: () => {},
    });
    return previewNext({ parts, options, gate, guard, session, running: undefined, nextLookAt: undefined });
  });
}

/** Only `pause` is asked for: a state, and nothing is taken away. */
function flagsOf({ dir }: Settings): Flags {
  return fileFlags({ folder: agentFolder(dir), startedAt: systemClock.now(), onStale: () => {} });
}

async function endOf(store: Store, { leaseStaleMs }: Settings): Promise<EndReport> {
  const last = await store.lease.last();
  if (!last) return NEVER;
  const { row, releasedAt } = last;
  const { host, pid, folder } = row.holder;
  const holder = { host, pid, folder };
  if (releasedAt !== undefined) {
    return { ended: 'stopped', why: 'It was stopped.', lastSeenAt: releasedAt, holder };
  }
  const lastSeenAt = row.heartbeatAt;
  switch (judgeLease(row, NOBODY, systemClock.now(), leaseStaleMs, processStart)) {
    case 'dead-owner':
      return {
        ended: 'gone',
        why: 'It was killed, or crashed: the next start takes up what it left.',
        lastSeenAt,
        holder,
      };
    case 'stale':
      return {
        ended: 'silent',
        why: `Nothing was heard of process ${pid} on ${host} for a long time.`,
        lastSeenAt,
        holder,
      };
    default:
      return {
        ended: 'elsewhere',
        why: `It is answered from elsewhere: by process ${pid} on ${host}, for ${folder}.`,
        lastSeenAt,
        holder,
      };
  }
}

/** A file says it by being there; a database is asked when it is opened. */
function hasRun(settings: Settings, inbox: ResolvedInbox): Promise<boolean> {
  return mustExist(storePlace(settings, identityOf(settings, inbox)), settings.dir).then(
    () => true,
    () => false,
  );
}

function unknownYet(): Preview {
  return {
    at: systemClock.now(),
    does: 'nothing',
    why: 'No worker has answered this inbox yet: its first look tells who waits.',
    ...{ until: undefined, hold: undefined, next: [], more: false, together: false, nextLookAt: undefined },
  };
}

async function withStore<T>(
  settings: Settings,
  inbox: ResolvedInbox,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({
    ...storePlace(settings, identityOf(settings, inbox)),
    clock: systemClock,
    owner: { ...NOBODY, folder: settings.dir },
    readOnly: true,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
