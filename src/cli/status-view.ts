// What `status` shows: one worker that runs, one that does not, or a line each of several.
import { identityOf } from '../app/stopped-store.js';
import { stoppedStatus } from '../app/stopped-view.js';
import {
  type AgentRow,
  controlClient,
  type RunningEntry,
  renderAgents,
  renderStatus,
  renderStopped,
} from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { inOwnName } from './own-name.js';
import { findAllRunning, WORKERS } from './running.js';
import type { Flags } from './setting-options.js';
import { type Agent, findAgent } from './target.js';

export interface StatusView {
  readonly running: boolean;
  readonly json: object;
  readonly text: string;
}

/** @throws WorkerError `not-running` where nothing runs and no agent is here, `ambiguous` where JSON needs one of several */
export async function viewStatus(flags: Flags, context: CliContext): Promise<StatusView> {
  const view = await viewOf(flags, context);
  return { ...view, text: inOwnName(view.text, context.self) };
}

async function viewOf(flags: Flags, context: CliContext): Promise<StatusView> {
  if (flags.all) return severalView(flags, context);
  try {
    const agent = await findAgent(flags, context);
    return await (agent.running ? runningView(agent.entry) : stoppedView(agent, context));
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    // A program must know what it gets: one object, unless it asked for all.
    if (error.code === 'ambiguous' && !flags.json) return severalView(flags, context);
    // No agent here and nothing running: the same to whoever asks.
    if (error.code === 'inbox-unset') throw new WorkerError('not-running', error.message);
    throw error;
  }
}

async function runningView(entry: RunningEntry): Promise<StatusView> {
  const status = await controlClient(entry).status();
  const called = entry.name === undefined ? '' : `${entry.name}: `;
  const head = `${called}${entry.kind} ${entry.inboxName} in ${entry.folder}, pid ${entry.pid}`;
  return {
    running: true,
    json: toJson({ entry, status }),
    text: `${head}\n${renderStatus(status, Date.now())}`,
  };
}

async function severalView(flags: Flags, context: CliContext): Promise<StatusView> {
  const rows = await Promise.all((await findAllRunning(flags, WORKERS, context)).map(ask));
  const [row] = rows;
  // Of several that answer nothing the first says why.
  if (row?.status instanceof Error && rows.every(({ status }) => status instanceof Error)) throw row.status;
  return { running: true, json: { agents: rows.map(toJson) }, text: renderAgents(rows) };
}

async function stoppedView(
  { settings, inbox }: Extract<Agent, { running: false }>,
  context: CliContext,
): Promise<StatusView> {
  const { dir: folder } = settings;
  const stopped = await stoppedStatus(settings, inbox, context.version);
  const start = `${context.self} run${folder === context.cwd ? '' : ` --dir ${folder}`}`;
  return {
    running: false,
    json: { kind: 'worker', folder, inbox: inbox.name, identity: identityOf(settings, inbox), ...stopped },
    text: `worker ${inbox.name} in ${folder}\n${renderStopped(stopped, Date.now(), start)}`,
  };
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
  return { running: true, kind, pid, name, folder, inbox: inboxName, identity, ...said };
}
