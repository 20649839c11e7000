// Which running program a command means, and how it is reached.
import type { Command } from 'commander';
import { loadSettings } from '../config/index.js';
import {
  type Choice,
  chooseRunning,
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

export async function findRunning(
  flags: Flags,
  kind: NonNullable<Choice['kind']>,
  context: CliContext,
): Promise<RunningEntry> {
  // A command that only finds a running program must not fail over a fault in a settings file it does not need.
  const { stateDir } = await loadSettings({
    flags: { stateDir: flags.stateDir },
    env: stateEnvironment(context.env),
    cwd: context.cwd,
  });
  const dir = typeof flags.dir === 'string' ? flags.dir : context.cwd;
  return chooseRunning(await listRunning(runningFolder(stateDir)), { ...named(flags), dir, kind });
}

/** What says where the state root is, and nothing else: a command that needs no more must not fail over more. */
export function stateEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR } = env;
  return { HOME, XDG_STATE_HOME, INBOX_WORKER_STATE_DIR };
}
