// Composes one agent: the only place where the parts of a worker meet. No module state, so many can live side by side.
import { join } from 'node:path';
import { endOrphan } from '../agent/index.js';
import { dropStale, fileFlags } from '../control/index.js';
import { withDeadline } from '../lib/deadline.js';
import type { WorkerParts } from '../worker/parts.js';
import { Worker } from '../worker/worker.js';
import { agentEnvironment, childMark, makeAgent } from './agent-parts.js';
import type { ComposedAgent, ComposeOptions } from './composed.js';
import { diskTrouble } from './disk-trouble.js';
import { firstWords } from './first-words.js';
import { agentFolder } from './folders.js';
import { openFront } from './front.js';
import { openGateway } from './gateway-parts.js';
import { agentText } from './metrics.js';
import { makeObservers } from './observers.js';
import { workerOptions } from './options.js';
import { startPrivateServer } from './private-server.js';
import { Releases } from './releases.js';
import { Reloader } from './reloader.js';
import { knownSecrets } from './secrets.js';
import { openLeasedStore } from './store-parts.js';
import { systemClock, systemIds, systemRandom } from './system.js';
import { addTeller } from './tell-parts.js';
import { toldOnceReached } from './told-later.js';
import { makeUpstream } from './upstream-parts.js';
import { makeWakeSources } from './wake-parts.js';

export type { RunEnd } from '../worker/run-end.js';
export type { ComposedAgent, ComposeOptions } from './composed.js';

const FLUSH_MS = 2_000;

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
  const later: string[] = [];
  const observers = await makeObservers({
    settings,
    inbox: inbox.name,
    version: options.version,
    folder: flagsFolder,
    secrets,
    clock,
    others: [...(options.observers ?? []), toldOnceReached(later, (text) => notice(text))],
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
  later.push(...leased.forgotten);
  // Before the lease is given back: else the next worker would tell of the same deaths.
  await addTeller({ settings, inbox, env: options.env, folder, store, secrets, observers, releases });

  const mark = childMark(identity, 0);
  const server =
    options.shared?.server ?? (await startPrivateServer({ port: settings.controlPort, onOtherPort: notice }));
  releases.add(() => server.close());
  const { version } = options;
  const desk = openGateway({ server, name: inbox.name, version, releases, onTrouble: notice });

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

  const { upstream, notifications } = await makeUpstream({
    ...{ settings, inbox, env: options.env, clock },
    onNotice: notice,
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
    health: () => worker.view.fitness(),
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
    onWords: (words) => observers.onWords(words),
    wakeSources: notifications ? [...wakes.sources, notifications] : wakes.sources,
    endOrphan: async (pid, start) => (await endOrphan(pid, start, mark)) === 'ended',
  };
  const worker = new Worker(
    options.wrap?.(parts) ?? parts,
    workerOptions(settings, inbox.name, version),
    desk,
  );

  const reloader = new Reloader({
    ...{ loaded: { settings, inbox }, load: options.load, env: options.env, version },
    ...{ agent, worker, receiver: wakes.receiver, observers, observer, secrets },
  });
  await openFront({
    server,
    worker,
    store,
    reload: () => reloader.reload(),
    wakeTest: () => wakes.test(ids.word()),
    token,
    entry: {
      kind: options.rehearsal ? 'rehearsal' : 'worker',
      startedAt,
      folder: settings.dir,
      identity,
      inboxName: inbox.name,
      stateRoot: settings.stateDir,
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
    fitness: () => worker.view.fitness(),
    reload: () => reloader.reload(),
    metrics: async () => metrics && agentText(metrics, () => worker.status()),
    webhookAddress: () => wakes.receiver?.address(),
    close: () => releases.run(),
  };
}
