// `status`: what the running worker is doing, in one glance; of several a line each.
import type { Command } from 'commander';
import {
  type AgentRow,
  controlClient,
  type RunningEntry,
  renderAgents,
  renderStatus,
} from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { addChoosing, findAllRunning, findRunning } from './running.js';
import type { Flags } from './setting-options.js';

const KINDS = ['worker', 'rehearsal'] as const;

export function addStatus(program: Command, context: CliContext): void {
  const command = program
    .command('status')
    .description('what the running worker is doing, and why; a line each where several run')
    .option('--all', 'every agent that runs here; with --json as {"agents": […]}')
    .option('--json', 'as JSON')
    .action((flags: Flags) => status(flags, context));
  addChoosing(command);
}

async function status(flags: Flags, context: CliContext): Promise<void> {
  // A program must know what it gets: one object, unless it asked for all.
  if (flags.json && !flags.all) return oneAsJson(await findRunning(flags, KINDS, context), context);
  const entries = await findAllRunning(flags, KINDS, context);
  const [only, ...others] = entries;
  if (only && others.length === 0 && !flags.all) return one(only, context);
  const rows = await Promise.all(entries.map(ask));
  const [row] = rows;
  // Of several that answer nothing the first says why.
  if (row?.status instanceof Error && rows.every((other) => other.status instanceof Error)) throw row.status;
  if (flags.json) context.out(JSON.stringify({ agents: rows.map(toJson) }, null, 2));
  else context.out(renderAgents(rows));
}

async function one(entry: RunningEntry, context: CliContext): Promise<void> {
  const status = await controlClient(entry).status();
  const called = entry.name === undefined ? '' : `${entry.name}: `;
  context.out(`${called}${entry.kind} ${entry.inboxName} in ${entry.folder}, pid ${entry.pid}`);
  context.out(renderStatus(status, Date.now()));
}

async function oneAsJson(entry: RunningEntry, context: CliContext): Promise<void> {
  const status = await controlClient(entry).status();
  context.out(JSON.stringify(toJson({ entry, status }), null, 2));
}

/** One that does not answer must not hide the others. */
async function ask(entry: RunningEntry): Promise<AgentRow> {
  try {
    return { entry, status: await controlClient(entry).status() };
  } catch (error) {
    if (error instanceof WorkerError) return { entry, status: error };
    throw error;
  }
}

function toJson({ entry, status }: AgentRow): object {
  const { kind, pid, name, folder, inboxName, identity } = entry;
  const said = status instanceof Error ? { error: status.message } : status;
  return { kind, pid, name, folder, inbox: inboxName, identity, ...said };
}
