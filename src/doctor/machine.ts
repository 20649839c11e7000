// The machine: is Node new enough, can our folders be written, is there room on the disk.
import { constants } from 'node:fs';
import { access, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../domain/errors.js';
import { type Finding, fail, ok, warn } from './check.js';

const OLDEST_NODE = [20, 19] as const;
const MB = 1024 * 1024;
/** The store grows by some kilobytes a message: this is days of warning. */
const LITTLE = 1024 * MB;
const NOTHING = 50 * MB;

/** @param version as `process.versions.node` gives it */
export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor, oldMinor] = OLDEST_NODE;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return ok(`Node ${version}.`);
  return fail(`Node ${version} is too old.`, `Install Node ${oldMajor}.${oldMinor} or newer.`, EXIT.usage);
}

/**
 * A folder we write to, which need not be there yet.
 * @param what its name in the sentence
 * @param ours files and folders in it that only this user may read
 */
export async function writableFolder(
  what: string,
  path: string,
  ours: readonly string[] = [],
): Promise<Finding> {
  const existing = await nearestExisting(path);
  const fix = `Make it writable for this user, or choose another one: ${path}`;
  if (!(await stat(existing)).isDirectory()) {
    return fail(`The ${what} ${path} cannot be made: ${existing} is no folder.`, fix);
  }
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    // Rights say nothing of a file system that is mounted read-only, or of a quota.
    await rmdir(await mkdtemp(join(existing, '.doctor-')));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return fail(`The ${what} ${path} cannot be written (${code}).`, fix);
  }
  const open = await firstOpen(ours);
  if (open !== undefined) {
    return warn(
      `Others on this machine may read ${open}: it holds messages.`,
      `Take their rights away: chmod go= ${open}`,
    );
  }
  return ok(`The ${what} ${path} ${existing === path ? 'can be written' : 'can be made'}.`);
}

/** Of the file system that holds `path`, which need not be there yet. */
export async function freeSpace(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestExisting(path));
  return spaceFinding(bavail * bsize);
}

/** @param free bytes */
export function spaceFinding(free: number): Finding {
  const text = `${free < 10 * 1024 * MB ? `${Math.floor(free / MB)} MB` : `${Math.floor(free / 1024 / MB)} GB`} are free where the state lies.`;
  const fix = 'Make room, or move the state with --state-dir.';
  if (free < NOTHING) return fail(text, fix);
  return free < LITTLE ? warn(text, fix) : ok(text);
}

async function nearestExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found || dirname(at) === at) return at;
  }
}

async function firstOpen(paths: readonly string[]): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found && (found.mode & 0o077) !== 0) return path;
  }
  return undefined;
}
