// A process that is started again whenever it ends, until it is told to stop.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';

export interface SupervisedOptions {
  /** What `node` is given. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its stderr, and its stdout where nobody hears it, are appended here. */
  readonly logFile: string;
  /** How long it stays down after a kill, ms. */
  pauseMs(): number;
  onStdout?(text: string): void;
  /** It has ended though nobody had asked for it. */
  onFailure?(how: string): void;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** It should only end when it is killed or stopped: it comes back, but the ending is remembered. */
const AFTER_FAILURE_MS = 1_000;

export class Supervised {
  /** Ends that nobody had asked for. */
  readonly failures: string[] = [];
  readonly #options: SupervisedOptions;
  readonly #log: number;
  #child: ChildProcess | undefined;
  #ended: Promise<Ending> = Promise.resolve({ code: 0, signal: null });
  #timer: NodeJS.Timeout | undefined;
  #killed = false;
  #stopping = false;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#log = openSync(options.logFile, 'a');
    this.#start();
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** SIGKILL, if it is up. */
  kill(): boolean {
    if (!this.#child || this.#killed) return false;
    this.#killed = true;
    return this.#child.kill('SIGKILL');
  }

  /** Starts it if it is down, sends `signal`, and resolves with its end; it is not started again. */
  async stop(signal: NodeJS.Signals): Promise<Ending> {
    if (!this.#child) this.#start();
    this.#stopping = true;
    this.#child?.kill(signal);
    return this.#ended;
  }

  /** For the end of a run that failed: it is gone when this resolves, and nothing else matters. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  #start(): void {
    clearTimeout(this.#timer);
    const { args, cwd, env, onStdout } = this.#options;
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ['ignore', onStdout ? 'pipe' : this.#log, this.#log],
    });
    this.#child = child;
    this.#killed = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => onStdout?.(text));
    this.#ended = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.#child = undefined;
        this.#again({ code, signal });
        resolve({ code, signal });
      });
    });
  }

  #again({ code, signal }: Ending): void {
    if (this.#stopping) return;
    if (!this.#killed) {
      const how = signal ?? `exit code ${code}`;
      this.failures.push(how);
      this.#options.onFailure?.(how);
    }
    this.#timer = setTimeout(() => this.#start(), this.#killed ? this.#options.pauseMs() : AFTER_FAILURE_MS);
  }
}
