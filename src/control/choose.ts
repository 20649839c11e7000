// Which of the running programs a command means: the named inbox, the current folder, or the only one there is.
import { resolve } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import type { RunningEntry, RunningKind } from './running-entry.js';

export interface Choice {
  /** `--inbox`: its name in .mcp.json, or its identity (the first 6 characters or more). */
  readonly inbox?: string | undefined;
  /** The current folder, or `--dir`. */
  readonly dir?: string | undefined;
  /** What can do what is asked; default any. */
  readonly kind?: RunningKind | readonly RunningKind[] | undefined;
}

/** @throws WorkerError `not-running` when none fits, `ambiguous` when several do; both list what runs */
export function chooseRunning(entries: readonly RunningEntry[], choice: Choice = {}): RunningEntry {
  const kinds = choice.kind === undefined ? undefined : [choice.kind].flat();
  const able = entries.filter((entry) => kinds === undefined || kinds.includes(entry.kind));
  const what = kinds?.join(' or ') ?? 'worker';
  const { inbox, dir } = choice;

  const named = inbox === undefined ? able : able.filter((entry) => isNamed(entry, inbox));
  if (named.length === 0) {
    const which = inbox === undefined ? '' : ` for the inbox ${inbox}`;
    throw new WorkerError('not-running', `No ${what}${which} is running.${listed('Running are', able)}`);
  }
  const here = named.filter((entry) => dir !== undefined && resolve(entry.folder) === resolve(dir));
  const fitting = here.length > 0 ? here : named;
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  throw new WorkerError('ambiguous', `Several are running.${listed('They are', fitting)}`);
}

/** By its name in .mcp.json, or by its identity (the first 6 characters or more). */
export function isNamed(entry: RunningEntry, inbox: string): boolean {
  return entry.inboxName === inbox || (inbox.length >= 6 && entry.identity.startsWith(inbox));
}

function listed(intro: string, entries: readonly RunningEntry[]): string {
  if (entries.length === 0) return '';
  const names = entries.map(
    ({ kind, inboxName, identity, folder, pid }) =>
      `${kind} ${inboxName} (${identity.slice(0, 8)}) in ${folder}, pid ${pid}`,
  );
  return ` ${intro}: ${names.join('; ')}.`;
}
