// Everything an agent needs around it in a test: a scripted model, a gateway, folders, and their end.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChangeableAgent, type ClaudeAgentOptions, claudeAgent } from '../../src/agent/index.js';
import { processStart } from '../../src/lib/process-identity.js';
import type { Agent, ReadyOutcome, TurnRequest } from '../../src/ports/agent.js';
import type { Clock } from '../../src/ports/clock.js';
import {
  claudeEnvironment,
  isMessagesRequest,
  type ScriptedApi,
  startScriptedApi,
} from '../../src/rehearsal/index.js';
import { startTestGateway, type TestGateway } from './test-gateway.js';

export const NEVER = new AbortController().signal;

export const realClock: Clock = {
  now: () => Date.now(),
  sleepUntil: (at, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(0, at - Date.now()));
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    }),
};

export interface AgentRig {
  readonly api: ScriptedApi;
  readonly gateway: TestGateway;
  readonly home: string;
  /** The agent's folder. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly stderrLog: string;
  readonly oddities: string[];
  readonly spawned: { readonly pid: number; readonly start: string }[];
  /** A new agent; it is stopped when the rig is closed. */
  agent(overrides?: Partial<ClaudeAgentOptions>): ChangeableAgent;
  /** Of each model call of a turn: all that is in its messages. */
  histories(): string[];
  /** Generated MCP configurations that lie in the state folder. */
  configs(): Promise<string[]>;
  close(): Promise<void>;
}

export async function agentRig(claudePath: string, version?: string): Promise<AgentRig> {
  const root = await mkdtemp(join(tmpdir(), 'agent-'));
  const path = (name: string): string => join(root, name);
  await Promise.all(['home', 'folder', 'state'].map((name) => mkdir(path(name), { mode: 0o700 })));
  const api = await startScriptedApi();
  const gateway = await startTestGateway();
  const oddities: string[] = [];
  const spawned: AgentRig['spawned'] = [];
  const agents: Agent[] = [];
  const options: ClaudeAgentOptions = {
    claudePath,
    version,
    cwd: path('folder'),
    preset: 'answer',
    systemPrompt: 'You answer direct messages.',
    extraArgs: [],
    environment: {
      ...claudeEnvironment({ apiUrl: api.url, home: path('home') }),
      CLAUDE_CODE_MAX_RETRIES: '0',
    },
    gateway,
    stateFolder: path('state'),
    stderrLog: path('folder/.orchestrator/agent-loop.log'),
    readyTimeoutMs: 30_000,
    clock: realClock,
    ids: { uuid: randomUUID, word: () => randomUUID().replaceAll('-', '') },
    onSpawn: (pid, start) => void spawned.push({ pid, start }),
    onOddity: (what) => oddities.push(what),
  };
  return {
    api,
    gateway,
    home: path('home'),
    folder: path('folder'),
    stateFolder: path('state'),
    stderrLog: options.stderrLog,
    oddities,
    spawned,
    agent: (overrides = {}) => {
      const agent = claudeAgent({ ...options, ...overrides });
      agents.push(agent);
      return agent;
    },
    histories: () =>
      api
        .calls()
        .filter((call) => call.kind === 'turn')
        .map(({ body }) => (isMessagesRequest(body) ? JSON.stringify(body.messages) : '')),
    configs: async () => (await readdir(path('state'))).filter((name) => name.endsWith('.json')),
    close: async () => {
      await Promise.all(agents.map((agent) => agent.stop(0)));
      await gateway.close();
      await api.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** A turn's request with limits that no test reaches unless it sets them. */
export function request(prompt: string, overrides: Partial<TurnRequest> = {}): TurnRequest {
  return { prompt, id: randomUUID(), silenceMs: 60_000, limitMs: 60_000, ...overrides };
}

/** The session of a `ready` outcome; fails on any other. */
export function sessionOf(outcome: ReadyOutcome): string {
  if (outcome.kind !== 'ready' || outcome.sessionId === undefined) {
    throw new Error(`not ready: ${JSON.stringify(outcome)}`);
  }
  return outcome.sessionId;
}

export const lives = (pid: number | undefined): boolean =>
  pid !== undefined && processStart(pid) !== undefined;
