// `run`: answers the inbox until it is stopped; with --once, works off what waits and ends.
import type { Command } from 'commander';
import { type ComposedAgent, compose, type RunEnd } from '../app/compose.js';
import { describeInbox } from '../app/describe-inbox.js';
import type { Loaded } from '../app/reloader.js';
import { loadSettings, resolveInbox, type Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { isJson } from '../observe/index.js';
import { serviceNotifier } from '../service/index.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { liveLineFor } from './live.js';
import { addSettingOptions, type Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

export function addRun(program: Command, context: CliContext, finish: (code: number) => void): void {
  const command = program
    .command('run')
    .description('answer the inbox until stopped (with --once: look, work off what waits, end)')
    .argument('[files...]', 'with --all: a settings file for each agent, folders of them, or patterns')
    .option('--all', 'many agents in one process; without files those of config/agents (docs/many-agents.md)')
    .action(async (files: string[], flags: Flags) => finish(await runWhat(files, flags, context)));
  command.option(...CONFIG);
  addSettingOptions(command);
}

async function runWhat(files: string[], flags: Flags, context: CliContext): Promise<number> {
  if (flags.all) return (await import('./run-all.js')).runAll(files, flags, context);
  if (files.length === 0) return run(flags, context);
  throw new WorkerError('usage', `run takes no file without --all: ${files.join(' ')}`, {
    hint: `One agent: ${context.self} run --config FILE. Several: ${context.self} run --all FILE…`,
  });
}

export async function run(flags: Flags, context: CliContext): Promise<number> {
  return live(() => load(flags, context), context);
}

/** Reads all files; the same again for a reload. @throws WorkerError */
export async function load(flags: Flags, context: CliContext): Promise<Loaded> {
  const settings = await loadSettings({
    flags,
    env: context.env,
    cwd: context.cwd,
    file: configOf(flags),
  });
  const inbox = await resolveInbox(settings, context.env);
  if (inbox) return { settings, inbox };
  throw new WorkerError(
    'inbox-unset',
    `There is no inbox: ${settings.dir} has no .mcp.json with a server in it.`,
    {
      hint: `Write one with ${context.self} init, name another folder with --dir, or try without an inbox: ${context.self} rehearse`,
    },
  );
}

/** Runs a real inbox. What it is going to answer is said first. */
export async function live(load: () => Promise<Loaded>, context: CliContext): Promise<number> {
  const { settings, inbox } = await load();
  const greeting = `The inbox is ${describeInbox(inbox)}, for the agent in ${settings.dir}`;

  const line = liveLineFor(settings, process.stderr, context.env);
  const service = serviceNotifier({
    env: context.env,
    pid: process.pid,
    onTrouble: (text) => (line ? line.stream.write(`${text}\n`) : context.err(text)),
  });
  const view = service?.agent(inbox.name);
  let agent: ComposedAgent | undefined;
  let reloadLater = false;
  const stops = stopSignals(
    context.signals,
    (how, signal) => agent?.stop(how, `${signal} was received`),
    () => {
      // Told in the log, a fault as well. While all is being made, the files may have been read already.
      if (agent) agent.reload().catch(() => {});
      else reloadLater = true;
    },
  );
  try {
    const composed = await compose({
      settings,
      inbox,
      load,
      env: context.env,
      version: context.version,
      greeting,
      ...(line ? { log: line.stream } : {}),
      signals: { onSignal: (name, heard) => context.signals.claim(name, () => heard()) },
      signal: stops.first,
      observers: [...(line ? [line] : []), ...(view ? [view] : [])],
    });
    if (composed === 'aborted') return 0;
    agent = composed;
    view?.watch(() => composed.status());
    // A signal that came while everything was being made.
    if (stops.first.aborted) agent.stop('drain', 'a signal was received at start');
    if (reloadLater) agent.reload().catch(() => {});
    const end = await (settings.once ? agent.runOnce() : agent.run());
    line?.release();
    return endOf(end, settings, context);
  } finally {
    await agent?.close();
    line?.release();
    await service?.close();
    stops.finish();
  }
}

function endOf(end: RunEnd, settings: Settings, context: CliContext): number {
  if (end.error) throw end.error;
  // Where the log is JSON it has said so already, and every line must stay JSON.
  if (end.exitCode !== 0 && !isJson(settings.logFormat, process.stderr)) context.err(end.text);
  return end.exitCode;
}
