// Finds Claude Code: the setting, then PATH, then node_modules, then where its installer puts it.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { WorkerError } from '../domain/errors.js';
import { parseVersion, type Support, supportOf } from './version.js';

export interface FoundClaude {
  readonly path: string;
  /** Such as "2.1.332"; undefined when `--version` told none. */
  readonly version: string | undefined;
  readonly support: Exclude<Support, 'refused'>;
  /** What is odd about it, in one sentence. */
  readonly note: string | undefined;
}

export interface FindOptions {
  /** CLAUDE_PATH: a path, or a name to look for on PATH. Nothing else is tried when it is set. */
  readonly setting?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The agent's folder: its node_modules and those above it are looked through. */
  readonly cwd: string;
  /** `own`: only this package's own Claude Code, for rehearsals and tests. */
  readonly where?: 'anywhere' | 'own';
  /** For `--version`. Default 15 s: a cold program of 400 MB on a slow disk takes its time. */
  readonly timeoutMs?: number;
}

/** Throws WorkerError `claude-not-found`, `claude-too-old`, or `claude-failed` when it cannot be run at all. */
export async function findClaude(options: FindOptions): Promise<FoundClaude> {
  const candidates = candidatePaths(options);
  for (const path of candidates) {
    if (await runnable(path)) return inspect(path, options);
  }
  if (options.setting !== undefined) {
    throw new WorkerError('claude-not-found', `There is no program at ${options.setting} (CLAUDE_PATH).`);
  }
  throw new WorkerError('claude-not-found', 'Claude Code is neither on PATH nor in node_modules.');
}

function candidatePaths({ setting, environment, cwd, where = 'anywhere' }: FindOptions): string[] {
  const onPath = (name: string): string[] =>
    (environment.PATH ?? '')
      .split(delimiter)
      .filter(Boolean)
      .flatMap((folder) => programs(folder, name));
  if (setting !== undefined) {
    if (isAbsolute(setting)) return [setting];
    return /[\\/]/.test(setting) ? [resolve(cwd, setting)] : onPath(setting);
  }
  const own = nodeModules(dirname(fileURLToPath(import.meta.url)));
  if (where === 'own') return own;
  const home = environment.HOME ?? homedir();
  // cron and systemd start us with a PATH that lacks the installer's folders.
  const installed = [join(home, '.local', 'bin'), join(home, '.claude', 'local')];
  return [
    ...onPath('claude'),
    ...nodeModules(cwd),
    ...own,
    ...installed.flatMap((folder) => programs(folder, 'claude')),
  ];
}

/** `node_modules/.bin/claude` of `folder` and of every folder above it. */
function nodeModules(folder: string): string[] {
  const above = dirname(folder);
  const here = programs(join(folder, 'node_modules', '.bin'), 'claude');
  return above === folder ? here : [...here, ...nodeModules(above)];
}

function programs(folder: string, name: string): string[] {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return names.map((one) => join(folder, one));
}

async function runnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function inspect(path: string, { environment, timeoutMs = 15_000 }: FindOptions): Promise<FoundClaude> {
  const run = await execa(path, ['--version'], {
    env: definedOnly(environment),
    extendEnv: false,
    timeout: timeoutMs,
    forceKillAfterDelay: 1_000,
    stdin: 'ignore',
    reject: false,
  });
  if (run.timedOut) {
    throw new WorkerError('claude-failed', `${path} --version did not answer within ${timeoutMs / 1000} s.`);
  }
  if (run.failed) {
    const reason = run.stderr?.trim().split('\n').at(-1) || run.shortMessage;
    throw new WorkerError('claude-failed', `${path} --version failed: ${reason}`, {
      hint: 'Run it by hand; if it is broken, install Claude Code anew.',
    });
  }
  const version = parseVersion(run.stdout)?.join('.');
  const support = supportOf(version);
  if (support === 'refused') {
    throw new WorkerError(
      'claude-too-old',
      `${path} is Claude Code ${version}; 2.0.56 is the oldest that can keep tools from a stranger.`,
    );
  }
  return { path, version, support, note: noteOf(path, version, support) };
}

function noteOf(path: string, version: string | undefined, support: Support): string | undefined {
  if (version === undefined) return `${path} --version names no version; it is taken for a new one.`;
  return support === 'restarts'
    ? `Claude Code ${version} cannot clear its history: every new conversation starts a new process. 2.1.133 can.`
    : undefined;
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
