// A laboratory for end-to-end tests: embedded inbox and scripted API here, the built worker as a process of its own.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { lineFramer } from '../../src/lib/line-framer.js';
import { type LocalInbox, type Posted, startLocalInbox } from '../../src/local-inbox/index.js';
import {
  claudeEnvironment,
  type RecordedCall,
  type ScriptedApi,
  startScriptedApi,
} from '../../src/rehearsal/index.js';

export const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const DEADLINE_MS = 60_000;

/** Waits for things that happen: each `add` lets the waiters look again. */
export class Feed<T> {
  readonly items: T[] = [];
  readonly #waiters = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** The first item that fits, now or later, from index `from` on. Rejects after a deadline that only a hang meets. */
  first(fits: (item: T) => boolean, what: string, from = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(look);
        reject(
          new Error(
            `${what} did not come; there were: ${JSON.stringify(this.items.slice(from)).slice(0, 4_000)}`,
          ),
        );
      }, DEADLINE_MS);
      const look = (): void => {
        const found = this.items.slice(from).find(fits);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve(found);
      };
      this.#waiters.add(look);
      look();
    });
  }
}

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface LabOptions {
  readonly vocabularies?: { dms?: boolean; agentdm?: boolean };
  /** What config/worker.json of the agent's folder holds. */
  readonly settings?: Record<string, unknown>;
  readonly webhook?: boolean;
}

export class Lab {
  readonly root: string;
  readonly folder: string;
  readonly home: string;
  readonly stateRoot: string;
  readonly inbox: LocalInbox;
  readonly api: ScriptedApi;
  /** Every message the inbox took, of anybody. */
  readonly posted: Feed<Posted>;
  readonly calls = new Feed<RecordedCall>();
  readonly workers: WorkerProcess[] = [];

  constructor(root: string, inbox: LocalInbox, api: ScriptedApi, posted: Feed<Posted>) {
    this.root = root;
    this.folder = join(root, 'agent');
    this.home = join(root, 'home');
    this.stateRoot = join(root, 'state');
    this.inbox = inbox;
    this.api = api;
    this.posted = posted;
    api.onCall((call) => this.calls.add(call));
  }

  /** Model calls that belong to a turn. */
  get turnCalls(): readonly RecordedCall[] {
    return this.api.calls().filter((call) => call.kind === 'turn');
  }

  /** `alice` writes to the agent. */
  say(from: string, text: string): string {
    this.inbox.ensureAlias(from);
    return this.inbox.post({ from, to: '@agent', text }).messageId;
  }

  /** The agent's next answer to `to`, after `already` of them. */
  answerTo(to: string, already = 0): Promise<Posted> {
    return this.posted.first((message) => message === this.answers(to)[already], `an answer to ${to}`);
  }

  answers(to?: string): Posted[] {
    return this.posted.items.filter(
      (message) => message.from === '@agent' && (to === undefined || message.to === to),
    );
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return {
      ...claudeEnvironment({ apiUrl: this.api.url, home: this.home }),
      XDG_STATE_HOME: this.stateRoot,
      ...more,
    };
  }

  /** Starts the built worker. */
  run(args: readonly string[] = [], env: Record<string, string> = {}): WorkerProcess {
    return this.start(MAIN, ['run', ...args], env);
  }

  /** Starts another program in the agent's folder; it is ended with the laboratory. */
  start(program: string, args: readonly string[], env: Record<string, string> = {}): WorkerProcess {
    const worker = new WorkerProcess(args, this.folder, this.env(env), program);
    this.workers.push(worker);
    return worker;
  }

  /** Runs another command to its end. */
  command(...args: string[]): ReturnType<Lab['commandIn']> {
    return this.commandIn(this.folder, ...args);
  }

  async commandIn(
    cwd: string,
    ...args: string[]
  ): Promise<{ stdout: string; stderr: string; exitCode: number | undefined }> {
    const { stdout, stderr, exitCode } = await execa(process.execPath, [MAIN, ...args], {
      cwd,
      env: this.env(),
      extendEnv: false,
      reject: false,
      timeout: DEADLINE_MS,
    });
    return { stdout, stderr, exitCode };
  }

  async close(): Promise<void> {
    this.api.release();
    for (const worker of this.workers) await worker.kill();
    await this.inbox.close();
    await this.api.close();
    await rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

export class WorkerProcess {
  readonly log = new Feed<LogLine>();
  readonly lines: string[] = [];
  readonly #child: ResultPromise<{ reject: false; extendEnv: false; buffer: false }>;

  constructor(args: readonly string[], cwd: string, env: Record<string, string>, program = MAIN) {
    this.#child = execa(process.execPath, [program, ...args], {
      cwd,
      env,
      extendEnv: false,
      reject: false,
      buffer: false,
    });
    const framer = lineFramer({ onLine: (line) => this.#hear(line) });
    this.#child.stderr.on('data', (chunk: Buffer) => framer.push(chunk));
    this.#child.stdout.on('data', (chunk: Buffer) => framer.push(chunk));
    this.#child.stderr.on('end', () => framer.end());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** A log line whose message fits. */
  says(pattern: RegExp, from = 0): Promise<LogLine> {
    return this.log.first((line) => pattern.test(line.msg), `a log line like ${pattern}`, from);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async ended(): Promise<{ exitCode: number | undefined; signal: string | undefined }> {
    const { exitCode, signal } = await this.#child;
    return { exitCode, signal };
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child;
  }

  #hear(line: string): void {
    this.lines.push(line);
    try {
      this.log.add(JSON.parse(line) as LogLine);
    } catch {
      this.log.add({ msg: line, level: 'text' });
    }
  }
}

/** Everything a test needs, in a temporary folder. Close it afterwards. */
export async function openLab(options: LabOptions = {}): Promise<Lab> {
  const root = await mkdtemp(join(tmpdir(), 'inbox-lab-'));
  const posted = new Feed<Posted>();
  const inbox = await startLocalInbox({
    databasePath: join(root, 'inbox.db'),
    onPosted: (message) => posted.add(message),
    ...(options.vocabularies ? { vocabularies: options.vocabularies } : {}),
  });
  const api = await startScriptedApi();
  const lab = new Lab(root, inbox, api, posted);
  await mkdir(join(lab.folder, 'config'), { recursive: true });
  await mkdir(lab.home, { recursive: true });
  const key = inbox.ensureAlias('@agent');
  const server = { type: 'http', url: inbox.url, headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' } };
  await writeFile(join(lab.folder, '.mcp.json'), JSON.stringify({ mcpServers: { agentdm: server } }));
  await writeFile(join(lab.folder, '.env'), `AGENTDM_API_KEY=${key}\n`);
  const settings = {
    claude_path: resolve(import.meta.dirname, '../../node_modules/.bin/claude'),
    webhook: false,
    wake_stream: 'off',
    min_sleep: '200ms',
    sleep_step: '0s',
    retry_delay: '100ms',
    log_format: 'json',
    log_level: 'debug',
    ...options.settings,
  };
  await writeFile(join(lab.folder, 'config', 'worker.json'), JSON.stringify(settings));
  return lab;
}

/** The pids of live processes whose command line holds `text`. */
export async function processesWith(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
}
