// Runs a command that is told: in a process group of its own, by a deadline, its output bounded.
import { execa } from 'execa';
import { deferred } from '../lib/deferred.js';
import { humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { Outcome, Target } from './target.js';

export interface CommandOptions {
  /** Where it runs. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input: string;
  readonly limitMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2_000;
/** How long its output may stay open when it has ended: something it left in the background may hold it. */
const DRAIN_MS = 200;
const MOST_OUTPUT = 2_000;

/** Never rejects. Resolves when it has ended, or was killed; what it left in the background goes on. */
export async function runCommand(
  target: Extract<Target, { kind: 'command' | 'shell' }>,
  { cwd, environment, input, limitMs, signal }: CommandOptions,
): Promise<Outcome> {
  const [file = '', ...args] = target.kind === 'shell' ? [target.line] : target.words;
  const startedAt = performance.now();
  const child = execa(file, args, {
    shell: target.kind === 'shell',
    cwd,
    env: environment,
    extendEnv: false,
    // So that what it starts can be ended with it, and a terminal's Ctrl-C is no concern of it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    cleanup: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
  });
  // Without listeners the EPIPE of a command that reads nothing would end the worker.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output = (output + text).slice(0, MOST_OUTPUT);
    });
  }
  child.stdin.end(input);

  const ended = deferred<string | undefined>();
  child.once('exit', (code, by) => void setTimeout(() => ended.resolve(endOf(code, by)), DRAIN_MS));
  child.once('close', (code, by) => child.pid !== undefined && ended.resolve(endOf(code, by)));
  // Where nothing was spawned, this alone says why.
  child.then(
    (result) => child.pid === undefined && ended.resolve(result.shortMessage ?? 'it could not be started'),
    (error: unknown) => ended.resolve(String(error)),
  );

  let cut: string | undefined;
  let killing: NodeJS.Timeout | undefined;
  const kill = (why: string): void => {
    if (cut !== undefined) return;
    cut = why;
    signalGroup(child.pid, 'SIGTERM');
    killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  const late = setTimeout(() => kill(`it had not ended after ${humanDuration(limitMs)}`), limitMs);
  const stop = (): void => kill('the worker ended');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const how = await ended.promise;
  clearTimeout(late);
  clearTimeout(killing);
  // It has ended, but what it started need not have heard.
  if (cut !== undefined) signalGroup(child.pid, 'SIGKILL');
  signal.removeEventListener('abort', stop);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();

  const said = output.trim() === '' ? '' : `: ${oneLine(output, 300)}`;
  const failure = cut ?? how;
  return failure === undefined
    ? { kind: 'told', how: `by a command, in ${humanDuration(performance.now() - startedAt)}${said}` }
    : { kind: 'failed', why: `${failure}${said}` };
}

function endOf(code: number | null, by: string | null): string | undefined {
  if (by !== null) return `it was ended by ${by}`;
  return code === 0 ? undefined : `it ended with exit code ${code}`;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has just ended by itself.
  }
}
