// The processes that Claude started, found by a mark in their environment and ended with it.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from '../lib/process-identity.js';

/** The name of the mark. Claude Code runs commands in sessions of their own, so a process group does not hold them. */
export const MARK = 'INBOX_WORKER_CHILD';

export interface KnownProcess {
  readonly pid: number;
  /** As `processStart` gives it: the same pid with another start is somebody else. */
  readonly start: string;
}

/** Sends `signal` to `known`, or to its process group, if it is still that process. True when it was. */
export function signalProcess(known: KnownProcess, signal: NodeJS.Signals, group: boolean): boolean {
  if (processStart(known.pid) !== known.start) return false;
  try {
    process.kill(group && process.platform !== 'win32' ? -known.pid : known.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Resolves with true when `known` has ended, with false after `limitMs`. */
export async function waitUntilGone(known: KnownProcess, limitMs: number): Promise<boolean> {
  for (let waited = 0; processStart(known.pid) === known.start; waited += 20) {
    if (waited >= limitMs) return false;
    await sleep(20);
  }
  return true;
}

/** Living processes whose environment carries `mark`. Empty where the system does not show it (not Linux). */
export function markedProcesses(mark: string): KnownProcess[] {
  if (process.platform !== 'linux') return [];
  const wanted = `${MARK}=${mark}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      const start = processStart(pid);
      return start !== undefined && environmentOf(pid).includes(wanted) ? [{ pid, start }] : [];
    });
}

/** Ends all that carry `mark`: SIGTERM, and SIGKILL for what is there after `graceMs`. Resolves when they are gone. */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  const polite = markedProcesses(mark);
  for (const known of polite) signalProcess(known, 'SIGTERM', false);
  await Promise.all(polite.map((known) => waitUntilGone(known, graceMs)));
  // Anew each round: a process may have started another in the meantime.
  for (let round = 0; round < 5; round += 1) {
    const left = markedProcesses(mark);
    if (left.length === 0) return;
    for (const known of left) signalProcess(known, 'SIGKILL', false);
    await Promise.all(left.map((known) => waitUntilGone(known, 1_000)));
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
