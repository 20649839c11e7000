// Who is running here: one small private file per agent, rehearsal and inbox.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepTemporaries, writeFileAtomic } from '../lib/atomic-file.js';
import { type ProcessHome, processHome, processStart } from '../lib/process-identity.js';
import { parseEntry, type RunningEntry } from './running-entry.js';

/** The folder of the running files. @param stateRoot `$XDG_STATE_HOME/inbox-worker` */
export function runningFolder(stateRoot: string): string {
  return join(stateRoot, 'running');
}

/** Writes or replaces the entry of its pid and name, readable by its user alone: it holds tokens and keys. */
export async function writeRunning(folder: string, entry: RunningEntry): Promise<void> {
  await sweepTemporaries(folder);
  const text = JSON.stringify({ ...entry, home: processHome() }, null, 2);
  await writeFileAtomic(fileOf(folder, entry.pid, entry.name), `${text}\n`, { mode: 0o600 });
}

/** Takes the entry away. Never rejects: it is the last thing a program does, and a dead entry is skipped anyway. */
export async function removeRunning(folder: string, pid: number, name?: string): Promise<void> {
  await rm(fileOf(folder, pid, name), { force: true }).catch(() => {});
}

/**
 * The entries whose process lives, oldest first. Files of dead ones are removed; those that cannot be judged from
 * here (another host or pid namespace that shares the folder) and those that are no entries are left alone.
 */
export async function listRunning(folder: string): Promise<RunningEntry[]> {
  const names = await readdir(folder).catch(() => []);
  const here = processHome();
  const entries = await Promise.all(
    names
      .filter((name) => /^\d+(-[\w-]+)?\.json$/.test(name))
      .map((name) => aliveIn(join(folder, name), here)),
  );
  return entries.filter((entry) => entry !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

async function aliveIn(path: string, here: ProcessHome): Promise<RunningEntry | undefined> {
  const entry = parseEntry(await readFile(path, 'utf8').catch(() => ''));
  if (!entry) return undefined;
  const home = entry.home ?? here;
  if (home.host !== here.host || home.pidNamespace !== here.pidNamespace) return undefined;
  if (home.bootId === here.bootId && processStart(entry.pid) === entry.processStart) return entry;
  await rm(path, { force: true }).catch(() => {});
  return undefined;
}

/** One process may run several agents: each has a file of its own. */
function fileOf(folder: string, pid: number, name: string | undefined): string {
  return join(folder, name === undefined ? `${pid}.json` : `${pid}-${name}.json`);
}
