// `dashboard`: the running worker in a browser.
import type { Command } from 'commander';
import { controlClient, type RunningEntry } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { openBrowser } from './browser.js';
import type { CliContext } from './context.js';
import { addChoosing, findAllRunning, findRunning, shortName } from './running.js';
import type { Flags } from './setting-options.js';

const KINDS = ['worker', 'rehearsal'] as const;

const HELP = `
The address holds the token of this run, which may do what you may do: it is for you alone. It is on this machine only
and changes with each run. The browser is started with a ticket instead, which counts once, for a minute.`;

export function addDashboard(program: Command, context: CliContext): void {
  const command = program
    .command('dashboard')
    .description('open the dashboard of the running worker in a browser, and print its address')
    .option('--print', 'only print the address')
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action((flags: Flags) => dashboard(flags, context));
  addChoosing(command);
}

async function dashboard(flags: Flags, context: CliContext): Promise<void> {
  const entry = await findEntry(flags, context);
  const { url: base, token } = controlOf(entry);
  // Whether it answers at all; and the token stays out of the arguments of a program.
  const ticket = await controlClient(entry).ticket();
  const url = `${base}/dashboard/`;
  const opened = flags.print ? false : await openBrowser(`${url}#ticket=${ticket}`, context.env);
  const address = `${url}#token=${token}`;
  if (flags.json) {
    const { kind, pid, name, folder, inboxName } = entry;
    context.out(JSON.stringify({ url: address, opened, kind, pid, name, inbox: inboxName, folder }, null, 2));
    return;
  }
  context.out(address);
  if (opened) context.err(`Opened in the browser: ${shortName(entry)}.`);
  else if (!flags.print) context.err('No browser was opened; open the address above in one on this machine.');
}

/** Of several agents of one process any will do: the page leads from one to the other. */
async function findEntry(flags: Flags, context: CliContext): Promise<RunningEntry> {
  const [first, ...others] = await findAllRunning(flags, KINDS, context);
  return first && others.every(({ pid }) => pid === first.pid) ? first : findRunning(flags, KINDS, context);
}

function controlOf({ control, kind, pid }: RunningEntry): NonNullable<RunningEntry['control']> {
  if (control) return control;
  throw new WorkerError('not-running', `There is nothing to look at in the ${kind} with pid ${pid}.`);
}
