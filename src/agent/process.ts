// One Claude Code process: spawned in a group of its own, written to, read from, and ended with all it started.
import type { Writable } from 'node:stream';
import { execa } from 'execa';
import { deferred } from '../lib/deferred.js';
import { lineFramer } from '../lib/line-framer.js';
import { processStart } from '../lib/process-identity.js';
import { endMarked, MARK, signalProcess } from './tree.js';

export interface SpawnOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** Goes before `file`: see parent-death.ts. */
  readonly prefix: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  onStdout(chunk: Buffer): void;
  onStderrLine(line: string): void;
}

export interface Exit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Set when it never started. */
  readonly spawnError: string | undefined;
}

export interface ChildProcess {
  readonly pid: number | undefined;
  readonly processStart: string | undefined;
  /** Resolves when it has ended and its output is read. */
  readonly exited: Promise<Exit>;
  readonly hasExited: boolean;
  /** Resolves when the system has taken the line: a slow reader slows the writer. Rejects when it is gone. */
  write(line: string): Promise<void>;
  /**
   * Ends it: stdin, then SIGTERM, then SIGKILL to the group, within about `deadlineMs`; 0 means SIGKILL now.
   * Resolves when it is gone, and what it had started too. May be called again with a shorter deadline.
   */
  end(deadlineMs: number): Promise<void>;
}

/** How long the output may stay open when the process is gone: something it started may hold the pipe. */
const DRAIN_MS = 500;

export function spawnClaude(options: SpawnOptions): ChildProcess {
  const [file = options.file, ...args] = [...options.prefix, options.file, ...options.args];
  const windows = process.platform === 'win32';
  const child = execa(file, args, {
    cwd: options.cwd,
    // Deferred tools would cost a model call before the first use of the inbox; harmless where it is unknown.
    env: {
      ...options.environment,
      ENABLE_TOOL_SEARCH: 'false',
      // Else `@path` in a stranger's message is read by Claude Code itself, past every preset, before the model is asked.
      CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
      [MARK]: options.mark,
    },
    extendEnv: false,
    // A terminal's Ctrl-C must reach only the worker, which then ends Claude in order.
    detached: !windows,
    windowsHide: true,
    cleanup: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
  });
  const start = child.pid === undefined ? undefined : processStart(child.pid);
  const exit = deferred<Exit>();
  let ended = false;

  const stderr = lineFramer({ onLine: options.onStderrLine, maxBytes: 64 * 1024 });
  child.stdout.on('data', options.onStdout);
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // Without a listener the EPIPE of a dying child would end the worker.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});

  const finish = (code: number | null, signal: string | null, spawnError?: string): void => {
    if (ended) return;
    ended = true;
    stderr.end();
    exit.resolve({ code: code ?? undefined, signal: signal ?? undefined, spawnError });
  };
  child.on('exit', (code, signal) => {
    setTimeout(() => finish(code, signal), DRAIN_MS).unref();
  });
  child.on('close', (code, signal) => finish(code, signal));
  // Also where nothing was spawned: execa then answers without any event.
  child.then(
    (result) => finish(result.exitCode ?? null, result.signal ?? null, startError(child.pid, result)),
    (error: unknown) => finish(null, null, String(error)),
  );

  const goneWithin = async (limitMs: number): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs);
    });
    const gone = await Promise.race([exit.promise.then(() => true), late]);
    clearTimeout(timer);
    return gone;
  };
  const send = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && start !== undefined)
      signalProcess({ pid: child.pid, start }, signal, true);
  };

  return {
    pid: child.pid,
    processStart: start,
    exited: exit.promise,
    get hasExited() {
      return ended;
    },
    write: (line) => writeLine(child.stdin, line),
    async end(deadlineMs) {
      child.stdin.end();
      if (deadlineMs > 0 && !(await goneWithin(deadlineMs * 0.6))) {
        send('SIGTERM');
        await goneWithin(deadlineMs * 0.3);
      }
      if (!ended) send('SIGKILL');
      await goneWithin(5_000);
      await endMarked(options.mark, Math.min(500, deadlineMs * 0.1));
    },
  };
}

function startError(pid: number | undefined, result: { readonly shortMessage?: string }): string | undefined {
  return pid === undefined ? (result.shortMessage ?? 'it could not be spawned') : undefined;
}

function writeLine(stdin: Writable, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!stdin.writable) reject(new Error('Claude Code takes no more input.'));
    else stdin.write(line, (error) => (error ? reject(error) : resolve()));
  });
}
