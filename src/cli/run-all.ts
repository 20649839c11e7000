// `run --all`: one process, many inboxes; each agent comes to its own end, and the process ends with the last.
import type { RunEnd } from '../app/compose.js';
import { type Fleet, openFleet } from '../app/many/fleet.js';
import { loadAgents } from '../app/many/load.js';
import type { AgentPlan } from '../app/many/plan.js';
import { WorkerError } from '../domain/errors.js';
import { redact } from '../lib/redact.js';
import { configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { describeInbox } from './describe-inbox.js';
import { reportError } from './report.js';
import type { Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

export async function runAll(words: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  mustNotName(flags);
  const { env, cwd, version } = context;
  const plans = await loadAgents({ words, flags, env, cwd });
  for (const plan of plans) context.err(introduction(plan));

  let fleet: Fleet | undefined;
  const stops = stopSignals(context.signals, (how, signal) => fleet?.stop(how, `${signal} was received`));
  const release = onUncaught((error) => {
    const whose = fleet?.uncaught(error);
    context.err(
      whose === undefined ? 'error: This befell the whole process:' : `error: This befell ${whose}:`,
    );
    reportError(error, context);
  });
  try {
    fleet = await openFleet({
      plans,
      env,
      version,
      onEnd: (name, end, left) => {
        for (const line of farewell(name, end, left)) context.err(line);
      },
    });
    const running = fleet;
    context.signals.claim('SIGUSR1', () => running.wake('signal'));
    // A signal that came while everything was being made.
    if (stops.first.aborted) fleet.stop('drain', 'a signal was received at start');
    return await fleet.run();
  } finally {
    // Kept, so that a late one does not open Node's debugger.
    context.signals.claim('SIGUSR1', () => {});
    await fleet?.close();
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

function introduction({ name, inbox, settings }: AgentPlan): string {
  return `${name}: the inbox is ${describeInbox(inbox)}, for the agent in ${settings.dir}`;
}

/** What goes as it should is told by the log alone. */
function farewell(name: string, { exitCode, text, error }: RunEnd, left: number): string[] {
  if (exitCode === 0) return [];
  const others =
    left === 0 ? '' : ` ${left === 1 ? 'One other agent goes on.' : `${left} other agents go on.`}`;
  const sentence = `${name} has ended: ${redact(error?.message ?? text)}${others}`;
  return error ? [`error: ${sentence}`, `try: ${redact(error.hint)}`] : [sentence];
}

/** Node would end the process, and every agent of it with it, over one error. */
function onUncaught(heard: (error: unknown) => void): () => void {
  process.on('uncaughtException', heard);
  return () => void process.off('uncaughtException', heard);
}
