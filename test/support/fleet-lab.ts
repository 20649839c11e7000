// A laboratory with several agents: a folder, an alias and a key for each, their settings files in one folder.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Posted } from '../../src/local-inbox/index.js';
import { type Lab, openLab, WorkerProcess } from './agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

/** Where the Claude of an agent reaches its gateway, as its generated configuration says. */
export interface GatewayEntry {
  readonly url: string;
  readonly token: string;
}

export interface FleetLab {
  readonly lab: Lab;
  /** Where `agents/NAME.json` lie: what `run --all` is given. */
  readonly folder: string;
  folderOf(name: string): string;
  /** Starts the built program with `run --all` in the folder above `agents`. */
  runAll(args?: readonly string[], env?: Record<string, string>): WorkerProcess;
  /** Runs another command to its end, there too: in no agent's folder. */
  command(...args: string[]): ReturnType<Lab['command']>;
  /** `from` writes to the agent. */
  say(from: string, name: string, text: string): string;
  answers(name: string, to: string): Posted[];
  /** The agent's next answer, after `already` of them. */
  answerOf(name: string, to: string, already?: number): Promise<Posted>;
  /** By agent. */
  gateways(): Promise<Map<string, GatewayEntry>>;
  /** The running files that lie there. */
  runningFiles(): Promise<string[]>;
  close(): Promise<void>;
}

/** @param agents what the settings file of each agent holds besides what a test needs anyway */
export async function openFleetLab(
  agents: Readonly<Record<string, Record<string, unknown>>>,
): Promise<FleetLab> {
  const lab = await openLab();
  const folder = join(lab.root, 'agents');
  await mkdir(folder);
  for (const [name, settings] of Object.entries(agents)) {
    const dir = join(lab.root, name);
    await mkdir(dir);
    const key = lab.inbox.ensureAlias(`@${name}`);
    const headers = { Authorization: 'Bearer ${AGENTDM_API_KEY}' };
    const agentdm = { type: 'http', url: lab.inbox.url, headers };
    await writeFile(join(dir, '.mcp.json'), JSON.stringify({ mcpServers: { agentdm } }));
    await writeFile(join(dir, '.env'), `AGENTDM_API_KEY=${key}\n`);
    const quick = {
      dir: `../${name}`,
      claude_path: resolve(import.meta.dirname, '../../node_modules/.bin/claude'),
      webhook: false,
      wake_stream: 'off',
      min_sleep: '200ms',
      sleep_step: '0s',
      retry_delay: '100ms',
      log_format: 'json',
      log_level: 'debug',
    };
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...quick, ...settings }));
  }
  const answers = (name: string, to: string): Posted[] =>
    lab.posted.items.filter((message) => message.from === `@${name}` && message.to === to);
  return {
    lab,
    folder,
    folderOf: (name) => join(lab.root, name),
    runAll(args = ['agents'], env = {}) {
      const worker = new WorkerProcess(['run', '--all', ...args], lab.root, lab.env(env), MAIN);
      lab.workers.push(worker);
      return worker;
    },
    command: (...args) => lab.commandIn(lab.root, ...args),
    say(from, name, text) {
      lab.inbox.ensureAlias(from);
      return lab.inbox.post({ from, to: `@${name}`, text }).messageId;
    },
    answers,
    answerOf: (name, to, already = 0) =>
      lab.posted.first((message) => message === answers(name, to)[already], `an answer of ${name} to ${to}`),
    async gateways() {
      const state = join(lab.stateRoot, 'inbox-worker');
      const names = await readdir(state, { recursive: true });
      const found = new Map<string, GatewayEntry>();
      for (const name of names.filter((one) => /claude-mcp-[^/]*\.json$/.test(one))) {
        const { mcpServers } = JSON.parse(await readFile(join(state, name), 'utf8'));
        const { url, headers } = mcpServers.agentdm;
        const token = String(headers.Authorization).replace('Bearer ', '');
        found.set(new URL(url).pathname.split('/')[1] ?? '', { url, token });
      }
      return found;
    },
    async runningFiles() {
      return (await readdir(join(lab.stateRoot, 'inbox-worker', 'running')).catch(() => [])).sort();
    },
    close: () => lab.close(),
  };
}
