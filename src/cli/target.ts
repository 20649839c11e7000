// Which agent a command means when it works on a running worker and on a stopped one alike.
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { agentFolder } from '../app/folders.js';
import { identityOf, stoppedOperations } from '../app/stopped-store.js';
import { loadSettings, type ResolvedInbox, resolveInbox, type Settings } from '../config/index.js';
import {
  chooseRunning,
  controlClient,
  isNamed,
  listRunning,
  type Operations,
  type RunningEntry,
  runningFolder,
} from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { addChoosing, named, surely, WORKERS } from './running.js';
import type { Flags } from './setting-options.js';

/** What can be asked and done, and whether a worker runs that does it. */
export interface Target {
  readonly operations: Operations;
  readonly running: boolean;
}

export interface Place {
  /** The agent's folder. */
  readonly folder: string;
  readonly entry: RunningEntry | undefined;
}

/** The worker of an agent where it runs, else what the agent is loaded from. */
export type Agent =
  | { readonly running: true; readonly entry: RunningEntry }
  | { readonly running: false; readonly settings: Settings; readonly inbox: ResolvedInbox };

/** The options that `findAgent`, `findTarget` and `findPlace` read. */
export function addTargetOptions(command: Command): void {
  command.option(...CONFIG);
  addChoosing(command);
}

/**
 * The agent that `--agent` names; else the worker that runs for the folder (`--dir`, that of `--config`, or the
 * current one), or for its inbox elsewhere; else that folder's agent. Where the current folder is no
 * agent's: the only worker that runs.
 * @throws WorkerError `ambiguous`; `not-running`; `inbox-unset` where nothing runs and the folder has no inbox
 */
export async function findAgent(flags: Flags, context: CliContext): Promise<Agent> {
  const place = await findPlace(flags, context);
  if (place.entry) return { running: true, entry: place.entry };
  const settings = await loadSettings({
    flags: { ...chosen(flags), dir: place.folder },
    env: context.env,
    cwd: context.cwd,
    file: configOf(flags),
  });
  const inbox = await resolveInbox(settings, context.env);
  if (!inbox) throw nothingHere(place.folder);
  // A worker of another folder with the same inbox holds the very store we mean.
  const identity = identityOf(settings, inbox);
  const { able } = await surroundings(flags, context);
  const holder = able.find((entry) => entry.identity === identity);
  return holder ? { running: true, entry: holder } : { running: false, settings, inbox };
}

/** As `findAgent`; a stopped worker is stood in for by its store. */
export async function findTarget(flags: Flags, context: CliContext): Promise<Target> {
  const agent = await findAgent(flags, context);
  if (agent.running) return { operations: controlClient(agent.entry), running: true };
  const { settings, inbox } = agent;
  return { operations: stoppedOperations(settings, inbox, (text) => context.err(text)), running: false };
}

/** As `findAgent`, where only the agent's folder is needed: its inbox is not looked at. */
export async function findPlace(flags: Flags, context: CliContext): Promise<Place> {
  const { dir, isGiven, able } = await surroundings(flags, context);
  const wanted = named(flags);
  const choose = (): Place => {
    const entry = chooseRunning(able, { ...wanted, dir, kind: WORKERS });
    return { folder: entry.folder, entry };
  };
  // Its own name says more than the folder one happens to be in.
  if (wanted.agent !== undefined) return choose();
  const fitting = able.filter((entry) => isNamed(entry, wanted));
  if (fitting.some((entry) => resolve(entry.folder) === dir)) return choose();
  // Somebody else's worker is not meant where the folder has an agent of its own.
  if (isGiven || (await isAgents(dir))) return { folder: dir, entry: undefined };
  if (fitting.length === 0) throw nothingHere(dir);
  return choose();
}

interface Surroundings {
  /** The folder that is meant, and whether it was said. */
  readonly dir: string;
  readonly isGiven: boolean;
  /** What runs and can be asked. */
  readonly able: readonly RunningEntry[];
}

async function surroundings(flags: Flags, context: CliContext): Promise<Surroundings> {
  const { dir, stateDir } = chosen(flags);
  const { cwd } = context;
  const settings = await surely({ flags: { dir, stateDir }, cwd, file: configOf(flags) }, context);
  const all = await listRunning(runningFolder(settings.stateDir));
  return {
    dir: settings.dir,
    isGiven: settings.origins.dir.from !== 'default',
    able: all.filter((entry) => entry.kind !== 'inbox'),
  };
}

async function isAgents(dir: string): Promise<boolean> {
  const found = await Promise.all(
    [join(dir, '.mcp.json'), agentFolder(dir)].map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

function nothingHere(dir: string): WorkerError {
  return new WorkerError(
    'inbox-unset',
    `No worker is running, and ${dir} has no .mcp.json with an inbox in it.`,
    {
      hint: "Name the agent's folder with --dir.",
    },
  );
}

const chosen = ({ dir, inbox, stateDir }: Flags) => ({ dir, inbox, stateDir });
