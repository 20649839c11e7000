// Every command by name, and how its file is loaded: a call pays only for the parts of its own command.
import type { Command } from 'commander';
import type { CliContext } from './context.js';

export type Finish = (code: number) => void;
type Add = (program: Command, context: CliContext, finish: Finish) => void;

/** In the order of `--help`. A new command is one line here and one file beside it. */
const COMMANDS: Record<string, () => Promise<Add>> = {
  run: async () => (await import('./run.js')).addRun,
  rehearse: async () => (await import('./rehearse.js')).addRehearse,
  inbox: async () => (await import('./inbox.js')).addInbox,
  bridge: async () => (await import('./bridge.js')).addBridge,
  send: async () => (await import('./mail.js')).addSend,
  read: async () => (await import('./mail.js')).addRead,
  wake: async () => (await import('./wake.js')).addWake,
  stop: async () => (await import('./stop.js')).addStop,
  reload: async () => (await import('./reload.js')).addReload,
  dashboard: async () => (await import('./dashboard.js')).addDashboard,
  status: async () => (await import('./status.js')).addStatus,
  next: async () => (await import('./next.js')).addNext,
  init: async () => (await import('./init.js')).addInit,
  config: async () => (await import('./config.js')).addConfig,
  doctor: async () => (await import('./doctor.js')).addDoctor,
  messages: async () => (await import('./messages.js')).addMessages,
  show: async () => (await import('./show.js')).addShow,
  lease: async () => (await import('./lease.js')).addLease,
  ledger: async () => (await import('./ledger.js')).addLedger,
  logs: async () => (await import('./logs.js')).addLogs,
  pause: async () => (await import('./pause.js')).addPause,
  resume: async () => (await import('./pause.js')).addResume,
  dead: async () => (await import('./dead.js')).addDead,
  retry: async () => (await import('./by-hand.js')).addRetry,
  drop: async () => (await import('./by-hand.js')).addDrop,
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Adds the command that `word` names; all of them where it names none, for the help and for sentences about them. */
export async function addCommands(
  program: Command,
  context: CliContext,
  finish: Finish,
  word: string | undefined,
): Promise<void> {
  const only = word !== undefined && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  for (const load of only ? [only] : Object.values(COMMANDS)) (await load())(program, context, finish);
}
