// The front that other commands see: control on the private listener, and the file that says where it is.
import {
  type AgentLine,
  controlApp,
  dashboardApp,
  listRunning,
  tickets as makeTickets,
  type Reloaded,
  type RunningEntry,
  removeRunning,
  runningFolder,
  setPaused,
  type WakeWays,
  writeRunning,
} from '../control/index.js';
import { processStart } from '../lib/process-identity.js';
import type { Store } from '../mailbox/index.js';
import type { Worker } from '../worker/worker.js';
import { agentFolder } from './folders.js';
import { agentText, type RunMetrics } from './metrics.js';
import { metricsPage } from './metrics-page.js';
import { storeOperations } from './operations.js';
import type { PrivateServer } from './private-server.js';
import type { Releases } from './releases.js';
import { systemClock, systemIds } from './system.js';

export interface FrontWish {
  readonly server: PrivateServer;
  readonly worker: Worker;
  readonly store: Store;
  reload(): Promise<Reloaded>;
  wakeTest(): WakeWays;
  /** The token of this run. */
  readonly token: string;
  /** Who we are; pid, its start and the listener are filled in here. */
  readonly entry: Omit<RunningEntry, 'pid' | 'processStart' | 'control' | 'home'>;
  /** The root in which other commands look for us. */
  readonly stateRoot: string;
  readonly metrics: RunMetrics | undefined;
  readonly releases: Releases;
  /** Those of the process; undefined where this one is alone. */
  readonly agents: (() => Promise<readonly AgentLine[]>) | undefined;
}

export async function openFront(wish: FrontWish): Promise<void> {
  const { server, worker, store, token, entry, releases } = wish;
  const alone = async (): Promise<AgentLine[]> => [
    { name: entry.name ?? entry.inboxName, path: '/', health: (await worker.status()).health },
  ];
  const tickets = makeTickets(systemClock, systemIds);
  const control = controlApp({
    token,
    // The private server has checked the Host header, for all its parts.
    isAllowedHost: () => true,
    status: () => worker.status(),
    next: () => worker.view.preview(),
    reload: wish.reload,
    wake: (kind) => worker.wake(kind),
    wakeTest: () => wish.wakeTest(),
    stop: (how) => worker.stop(how, 'asked by command'),
    agents: wish.agents ?? alone,
    ...storeOperations(store, systemClock),
    pause: (paused) => setPaused(agentFolder(entry.folder), paused, systemClock.now()),
    ticket: () => tickets.issue(),
    changed: () => worker.wake('manual'),
  });
  server.mount('control', (request) => control.fetch(request));
  const base = new URL(server.url).pathname.replace(/\/$/, '');
  const dashboard = dashboardApp({ token, tickets, base });
  server.mount('dashboard', (request) => dashboard.fetch(request));
  const { metrics } = wish;
  if (metrics) {
    const texts = () => Promise.all([agentText(metrics, () => worker.status()), metrics.process()]);
    server.mount('metrics', metricsPage(token, texts));
  }

  const folder = runningFolder(wish.stateRoot);
  // Those of killed runs are taken away by looking: keys and tokens should not lie about.
  await listRunning(folder);
  await writeRunning(folder, {
    ...entry,
    pid: process.pid,
    processStart: processStart(process.pid) ?? '',
    control: { url: server.url, token },
  });
  releases.add(() => removeRunning(folder, process.pid, entry.name));
}
