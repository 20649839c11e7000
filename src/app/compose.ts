// Composes one agent: the only place where the parts of a worker meet. No module state, so many can live side by side.
import { join } from 'node:path';
import { endOrphan } from '../agent/index.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { dropStale, fileFlags, type RunningEntry } from '../control/index.js';
import type { Status } from '../domain/status.js';
import type { WakeKind } from '../domain/wake.js';
import { gatewayApp } from '../gateway/index.js';
import { connectInbox } from '../inbox/index.js';
import { withDeadline } from '../lib/deadline.js';
import type { LogStream } from '../observe/index.js';
import type { Observer } from '../ports/observer.js';
import { notificationSource, type SignalLatch } from '../wake/index.js';
import { Desk } from '../worker/desk.js';
import { messageOf } from '../worker/faults.js';
import type { WorkerParts } from '../worker/parts.js';
import type { RunEnd } from '../worker/run-end.js';
import { Worker } from '../worker/worker.js';
import { agentEnvironment, childMark, makeAgent } from './agent-parts.js';
import { diskTrouble } from './disk-trouble.js';
import { firstWords } from './first-words.js';
import { agentFolder } from './folders.js';
import { openFront } from './front.js';
import { agentText } from './metrics.js';
import { makeObservers } from './observers.js';
import { workerOptions } from './options.js';
import { startPrivateServer } from './private-server.js';
import { profileOf } from './profile.js';
import { Releases } from './releases.js';
import { knownSecrets } from './secrets.js';
import type { SharedParts } from './shared-parts.js';
import { openLeasedStore } from './store-parts.js';
import { systemClock, systemIds, systemRandom } from './system.js';
import { addTeller } from './tell-parts.js';
import { makeWakeSources } from './wake-parts.js';

export type { RunEnd } from '../worker/run-end.js';

const FLUSH_MS = 2_000;

export interface ComposeOptions {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  /** What Claude's environment is taken from. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly observers?: readonly Observer[];
  readonly signals?: SignalLatch;
  /** What it shares with the other agents of its process; without it, it has all that to itself. */
  readonly shared?: SharedParts;
  /** Ends a standby that waits for the lease. */
  readonly signal: AbortSignal;
  /** Where the log goes; default stderr. */
  readonly log?: LogStream;
  /** What is said first; a notice, so that it is told as everything else is. */
  readonly greeting?: string;
  /** What the rehearsal says of itself in the running file, and where that lies. */
  readonly rehearsal?: Pick<RunningEntry, 'inbox' | 'agentAlias'> & { readonly stateRoot: string };
  /** For tests only: a way to stand between the worker and its ports. */
  readonly wrap?: (parts: WorkerParts) => WorkerParts;
}

export interface ComposedAgent {
  /** Runs until it is stopped or nothing is left to wait for. */
  run(): Promise<RunEnd>;
  runOnce(): Promise<RunEnd>;
  stop(how: 'drain' | 'force', text: string): void;
  wake(kind: WakeKind): void;
  status(): Promise<Status>;
  /** In Prometheus' text format; undefined where none are kept. */
  metrics(): Promise<string | undefined>;
  /** Where webhooks are taken; undefined while they are not. */
  webhookAddress(): { host: string; port: number } | undefined;
  /** Gives back all that was taken, in reverse order. Call it after the run. */
  close(): Promise<void>;
}

/**
 * Takes the lease and builds everything up to, but not including, the first look.
 * @throws WorkerError `lease-held`, `store-unusable`, `claude-…`, `setting-invalid`; nothing is left open then
 */
export async function compose(options: ComposeOptions): Promise<ComposedAgent | 'aborted'> {
  const releases = new Releases();
  try {
    return await build(options, releases);
  } catch (error) {
    // The first error tells more than one of tidying up after it.
    await releases.run().catch(() => {});
    throw diskTrouble(error) ?? error;
  }
}

async function build(options: ComposeOptions, releases: Releases): Promise<ComposedAgent | 'aborted'> {
  const { settings, inbox } = options;
  const startedAt = Date.now();
  const clock = systemClock;
  const ids = systemIds;
  const flagsFolder = agentFolder(settings.dir);
  const token = options.shared?.token ?? settings.controlToken ?? ids.word() + ids.word();
  const secrets = knownSecrets(settings, inbox, await agentEnvironment(settings, options.env), token);
  const observers = await makeObservers({
    settings,
    inbox: inbox.name,
    version: options.version,
    folder: flagsFolder,
    secrets,
    clock,
    others: options.observers ?? [],
    ...(options.log ? { log: options.log } : {}),
  });
  // A file that takes no writes (a pipe nobody reads) must not keep us from ending.
  releases.add(() => withDeadline(observers.flush(), FLUSH_MS, 'writing the ledger').catch(() => {}));
  const { observer, metrics } = observers;
  const notice = (text: string): void => observer.on({ type: 'notice', level: 'warn', text });
  for (const word of firstWords(settings, inbox, options.greeting)) observer.on(word);

  const leased = await openLeasedStore({
    settings,
    inbox,
    clock,
    ids,
    releases,
    cared: options.shared?.identities ?? [],
    signal: options.signal,
    tell: notice,
    standBy: (text) => observer.on({ type: 'standing-by', text }),
  });
  if (leased === 'aborted') {
    await releases.run();
    return 'aborted';
  }
  const { store, folder, identity } = leased;
  // Before the lease is given back: else the next worker would tell of the same deaths.
  await addTeller({ settings, inbox, env: options.env, folder, store, secrets, observers, releases });

  const mark = childMark(identity, 0);
  const server =
    options.shared?.server ?? (await startPrivateServer({ port: settings.controlPort, onOtherPort: notice }));
  releases.add(() => server.close());
  const desk = new Desk(ids);
  const gateway = gatewayApp({
    turns: desk,
    name: inbox.name,
    version: options.version,
    onError: (tool, error) => notice(`The tool ${tool} failed: ${messageOf(error)}`),
  });
  releases.add(() => gateway.close());
  server.mount('mcp', (request) => gateway.fetch(request));

  const agent = await makeAgent({
    settings,
    inbox,
    env: options.env,
    gatewayUrl: `${server.url}/mcp`,
    desk,
    secrets,
    slot: 0,
    stateFolder: folder.path,
    mark,
    stderrLog: join(flagsFolder, 'agent-loop.log'),
    clock,
    ids,
    observer,
    onSpawn: async (pid, start) => {
      const known = await store.slots.load(0);
      const base = known ?? { slot: 0, sessionId: undefined, conversation: undefined, wear: undefined };
      await store.slots.save({ ...base, pid, processStart: start });
    },
  });
  releases.add(() => agent.stop(2_000));

  // A single look hears nothing that it would not find by itself.
  const notifications = settings.notifications && !settings.once ? notificationSource({ clock }) : undefined;
  const upstream = connectInbox({
    server: inbox.server,
    profile: await profileOf(settings, options.env),
    ownAlias: settings.ownAlias,
    clock,
    callTimeoutMs: settings.callTimeoutMs,
    onNotice: notice,
    ...(notifications && { onAnnounced: () => notifications.heard() }),
  });
  releases.add(() => upstream.close());
  const flags = fileFlags({
    folder: flagsFolder,
    startedAt,
    onStale: (flag) => notice(`The control file ${flag} was of an earlier run; it is ignored and removed.`),
    onTrouble: notice,
  });
  await dropStale(flags, { folder: flagsFolder, startedAt });
  const wakes = makeWakeSources({
    settings,
    inbox,
    deliveries: store.deliveries,
    flags,
    flagsFolder,
    signals: options.signals,
    door: options.shared?.door,
    clock,
    observer,
    onStopFile: () => worker.stop('drain', 'the control file `stop` was found'),
  });
  const parts: WorkerParts = {
    ...store,
    clock,
    ids,
    random: systemRandom,
    upstream,
    agent,
    flags,
    observer,
    ...(observers.onWords ? { onWords: observers.onWords } : {}),
    wakeSources: notifications ? [...wakes.sources, notifications] : wakes.sources,
    endOrphan: async (pid, start) => (await endOrphan(pid, start, mark)) === 'ended',
  };
  const worker = new Worker(options.wrap?.(parts) ?? parts, workerOptions(settings, inbox.name), desk);

  await openFront({
    server,
    worker,
    store,
    wakeTest: () => wakes.test(ids.word()),
    token,
    entry: {
      kind: options.rehearsal ? 'rehearsal' : 'worker',
      startedAt,
      folder: settings.dir,
      identity,
      inboxName: inbox.name,
      ...(settings.name === undefined ? {} : { name: settings.name }),
      ...(options.rehearsal?.inbox ? { inbox: options.rehearsal.inbox } : {}),
      ...(options.rehearsal?.agentAlias ? { agentAlias: options.rehearsal.agentAlias } : {}),
    },
    stateRoot: options.rehearsal?.stateRoot ?? settings.stateDir,
    metrics,
    releases,
    agents: options.shared?.agents,
  });

  return {
    run: () => worker.run(),
    runOnce: () => worker.runOnce(),
    stop: (how, text) => worker.stop(how, text),
    wake: (kind) => worker.wake(kind),
    status: () => worker.status(),
    metrics: async () => metrics && agentText(metrics, () => worker.status()),
    webhookAddress: () => wakes.receiver?.address(),
    close: () => releases.run(),
  };
}
