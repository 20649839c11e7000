// Which running program a command means, and how it is reached.
import type { Command } from 'commander';
import { loadSettings } from '../config/index.js';
import {
  type Choice,
  chooseRunning,
  fittingRunning,
  listRunning,
  type RunningEntry,
  runningFolder,
} from '../control/index.js';
import type { CliContext } from './context.js';
import { addSettingOptions, type Flags } from './setting-options.js';

/** The settings that choose: `--inbox`, `--dir`, `--state-dir`. */
export const CHOOSING = ['inbox', 'dir', 'stateDir'] as const;

/** The options that choose among what runs. */
export function addChoosing(command: Command): void {
  command.option('--agent <name>', 'the agent of that name, where several run');
  addSettingOptions(command, CHOOSING);
}

/** What of the flags names an agent that runs. */
export function named({ agent, inbox }: Flags): Pick<Choice, 'agent' | 'inbox'> {
  const text = (flag: Flags[string]): string | undefined => (typeof flag === 'string' ? flag : undefined);
  return { agent: text(agent), inbox: text(inbox) };
}

type Kind = NonNullable<Choice['kind']>;

export async function findRunning(flags: Flags, kind: Kind, context: CliContext): Promise<RunningEntry> {
  return chooseRunning(await everyRunning(flags, context), choiceOf(flags, kind, context));
}

/**
 * Those that the flags fit: with `--all` whatever was named of all that run here, else what `findRunning` would
 * choose from.
 * @throws WorkerError `not-running` when there is none
 */
export async function findAllRunning(
  flags: Flags,
  kind: Kind,
  context: CliContext,
): Promise<readonly RunningEntry[]> {
  const entries = await everyRunning(flags, context);
  const choice = choiceOf(flags, kind, context);
  const fitting = fittingRunning(entries, flags.all ? { ...choice, dir: undefined } : choice);
  return fitting.length > 0 ? fitting : [chooseRunning(entries, choice)];
}

/** Every one with `--all`, else the one that the flags choose. */
export async function findOneOrAll(
  flags: Flags,
  kind: Kind,
  context: CliContext,
): Promise<readonly RunningEntry[]> {
  return flags.all ? findAllRunning(flags, kind, context) : [await findRunning(flags, kind, context)];
}

/** One that fails must not keep the others from being asked: the first failure is thrown at the end. */
export async function toEach(
  entries: readonly RunningEntry[],
  work: (entry: RunningEntry) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const entry of entries) await work(entry).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** For a sentence about what was done to it. */
export function shortName({ kind, name, inboxName, pid }: RunningEntry): string {
  return `${kind} ${name === undefined ? inboxName : `${name} (${inboxName})`}, pid ${pid}`;
}

function choiceOf(flags: Flags, kind: Kind, { cwd }: CliContext): Choice {
  return { ...named(flags), dir: typeof flags.dir === 'string' ? flags.dir : cwd, kind };
}

async function everyRunning(flags: Flags, context: CliContext): Promise<RunningEntry[]> {
  // A command that only finds a running program must not fail over a fault in a settings file it does not need.
  const { stateDir } = await loadSettings({
    flags: { stateDir: flags.stateDir },
    env: stateEnvironment(context.env),
    cwd: context.cwd,
  });
  return listRunning(runningFolder(stateDir));
}

/** What says where the state root is, and nothing else: a command that needs no more must not fail over more. */
export function stateEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR } = env;
  return { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR };
}
