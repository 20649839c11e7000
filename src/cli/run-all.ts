// `run --all`: one process, many inboxes; each agent comes to its own end, and the process ends with the last.
import { type Fleet, openFleet } from '../app/many/fleet.js';
import { loadAgents } from '../app/many/load.js';
import { WorkerError } from '../domain/errors.js';
import { serviceNotifier } from '../service/index.js';
import { configOf } from './config-option.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

export async function runAll(words: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  mustNotName(flags);
  const { env, cwd, version } = context;
  const plans = await loadAgents({ words, flags, env, cwd });

  const service = serviceNotifier({ env, pid: process.pid, onTrouble: (text) => context.err(text) });
  let fleet: Fleet | undefined;
  const stops = stopSignals(
    context.signals,
    (how, signal) => fleet?.stop(how, `${signal} was received`),
    () => fleet?.reload(),
  );
  let release = (): void => {};
  try {
    fleet = await openFleet({ plans, env, version, service });
    const running = fleet;
    release = onUncaught((error) => running.uncaught(error));
    context.signals.claim('SIGUSR1', () => running.wake('signal'));
    // A signal that came while everything was being made.
    if (stops.first.aborted) fleet.stop('drain', 'a signal was received at start');
    return await fleet.run();
  } finally {
    // Kept, so that a late one does not open Node's debugger.
    context.signals.claim('SIGUSR1', () => {});
    await fleet?.close();
    await service?.close();
    release();
    stops.finish();
  }
}

function mustNotName(flags: Flags): void {
  if (configOf(flags) !== undefined) {
    throw new WorkerError('usage', '--config names one settings file, and --all takes several.', {
      hint: 'Write the files after --all: run --all config/agents/*.json',
    });
  }
}

/** Node would end the process, and every agent of it with it, over one error. */
function onUncaught(heard: (error: unknown) => void): () => void {
  process.on('uncaughtException', heard);
  return () => void process.off('uncaughtException', heard);
}
