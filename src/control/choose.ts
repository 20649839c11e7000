// Which of the running programs a command means: the named agent or inbox, the current folder, or the only one.
import { resolve } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import type { RunningEntry, RunningKind } from './running-entry.js';

export interface Choice {
  /** `--agent`: its own name. */
  readonly agent?: string | undefined;
  /** `--inbox`: its name in .mcp.json, or its identity (the first 6 characters or more). */
  readonly inbox?: string | undefined;
  /** The current folder, or `--dir`. */
  readonly dir?: string | undefined;
  /** What can do what is asked; default any. */
  readonly kind?: RunningKind | readonly RunningKind[] | undefined;
}

/** Those that fit, oldest first: the named ones, of them those of the folder, where there are any. May be none. */
export function fittingRunning(
  entries: readonly RunningEntry[],
  { dir, kind, ...wanted }: Choice,
): RunningEntry[] {
  const named = able(entries, kind).filter((entry) => isNamed(entry, wanted));
  const here = named.filter((entry) => dir !== undefined && resolve(entry.folder) === resolve(dir));
  return here.length > 0 ? here : named;
}

/** @throws WorkerError `not-running` when none fits, `ambiguous` when several do; both list what runs */
export function chooseRunning(entries: readonly RunningEntry[], choice: Choice = {}): RunningEntry {
  const fitting = fittingRunning(entries, choice);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) throw new WorkerError('ambiguous', `Several are running.${listed('They are', fitting)}`);
  const what = choice.kind === undefined ? 'worker' : [choice.kind].flat().join(' or ');
  const called = choice.agent === undefined ? '' : ` named ${choice.agent}`;
  const which = choice.inbox === undefined ? called : `${called} for the inbox ${choice.inbox}`;
  const instead = listed('Running are', able(entries, choice.kind));
  throw new WorkerError('not-running', `No ${what}${which} is running.${instead}`);
}

function able(entries: readonly RunningEntry[], kind: Choice['kind']): RunningEntry[] {
  const kinds = kind === undefined ? undefined : [kind].flat();
  return entries.filter((entry) => kinds === undefined || kinds.includes(entry.kind));
}

/** Whether it is the agent and the inbox that were named, as far as they were. */
export function isNamed(entry: RunningEntry, { agent, inbox }: Pick<Choice, 'agent' | 'inbox'>): boolean {
  if (agent !== undefined && entry.name !== agent) return false;
  if (inbox === undefined || entry.inboxName === inbox) return true;
  return inbox.length >= 6 && entry.identity.startsWith(inbox);
}

function listed(intro: string, entries: readonly RunningEntry[]): string {
  if (entries.length === 0) return '';
  return ` ${intro}: ${entries.map(describeEntry).join('; ')}.`;
}

function describeEntry({ kind, name, inboxName, identity, folder, pid }: RunningEntry): string {
  const called = name === undefined ? '' : `${name}: `;
  return `${called}${kind} ${inboxName} (${identity.slice(0, 8)}) in ${folder}, pid ${pid}`;
}
