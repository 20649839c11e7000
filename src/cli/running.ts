// Which running program a command means, and how it is reached.
import type { Command } from 'commander';
import { loadSettings, type Settings } from '../config/index.js';
import {
  type Choice,
  chooseRunning,
  fittingRunning,
  listRunning,
  type RunningEntry,
  runningFolder,
} from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
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

/** What can be steered and looked at. */
export const WORKERS = ['worker', 'rehearsal'] as const;

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

/**
 * The workers and rehearsals that the flags fit: every one with `--all`, else the one that they choose.
 * @param hint what to try where there is none
 */
export async function findWorkers(
  flags: Flags,
  context: CliContext,
  hint: string,
): Promise<readonly RunningEntry[]> {
  try {
    return flags.all
      ? await findAllRunning(flags, WORKERS, context)
      : [await findRunning(flags, WORKERS, context)];
  } catch (error) {
    if (!(error instanceof WorkerError) || error.code !== 'not-running') throw error;
    throw new WorkerError('not-running', error.message, { hint });
  }
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
  const { stateDir } = await surely({ flags: { stateDir: flags.stateDir }, cwd: context.cwd }, context);
  return listRunning(runningFolder(stateDir));
}

/** A command that only finds a running program must not fail over a fault in a setting or a file it does not need. */
export async function surely(
  wish: Pick<Parameters<typeof loadSettings>[0], 'flags' | 'cwd' | 'file'>,
  context: CliContext,
): Promise<Settings> {
  const input = { ...wish, env: stateEnvironment(context.env) };
  return loadSettings(input).catch((error) => {
    if (!(error instanceof WorkerError)) throw error;
    return loadSettings({ ...input, withoutFiles: true });
  });
}

/** What says where the state root is, and nothing else: a command that needs no more must not fail over more. */
export function stateEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR } = env;
  return { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR };
}
