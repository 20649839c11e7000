// The agent of one inbox: Claude Code found, told what it may do, and given a gateway of its own.
import { hostname } from 'node:os';
import {
  type ChangeableAgent,
  type ClaudeAgentChange,
  childEnvironment,
  claudeAgent,
  findClaude,
} from '../agent/index.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { loginEnvironment, readSystemPrompt } from '../config/index.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Observer } from '../ports/observer.js';
import type { Desk } from '../worker/desk.js';

export interface AgentWish {
  readonly settings: Settings;
  readonly inbox: Pick<ResolvedInbox, 'name' | 'otherServers'>;
  /** What Claude's environment is taken from. */
  readonly env: NodeJS.ProcessEnv;
  readonly gatewayUrl: string;
  readonly desk: Desk;
  /** Literals that must not be told: the token of each process joins them while it lives. */
  readonly secrets: string[];
  readonly slot: number;
  /** The state folder of the inbox. */
  readonly stateFolder: string;
  /** As `childMark` makes it. */
  readonly mark: string;
  readonly stderrLog: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly observer: Observer;
  onSpawn(pid: number, processStart: string): Promise<void>;
}

/** What all that Claude starts is known by: the same over restarts, so that stragglers of a dead run are found. */
export function childMark(identity: string, slot: number): string {
  return `${hostname()}:${identity}:${slot}`;
}

/** Longer than Claude Code needs on a cold, loaded machine; a slow MCP server carried along has its own limit. */
const READY_MS = 60_000;

const TOKENS_HIDDEN = 4;

/** @throws WorkerError `claude-not-found`, `claude-too-old`, `claude-failed`, `claude-root`, `file-unreadable` */
export async function makeAgent(wish: AgentWish): Promise<ChangeableAgent> {
  const { settings, inbox, desk, slot, observer, secrets } = wish;
  const changeable = await changeableParts(settings, wish.env);
  const hide = hider(secrets);
  const notice = (text: string): void => observer.on({ type: 'notice', level: 'warn', text });
  const found = await findClaude({
    setting: settings.claudePath,
    environment: changeable.environment,
    cwd: settings.dir,
  });
  if (found.note) notice(found.note);
  return claudeAgent({
    ...changeable,
    claudePath: found.path,
    version: found.version,
    cwd: settings.dir,
    preset: settings.preset,
    extraArgs: settings.claudeArgs,
    gateway: {
      name: inbox.name,
      url: wish.gatewayUrl,
      issueToken: () => hide(desk.issueToken(slot)),
      revokeToken: (token) => desk.revokeToken(token),
    },
    otherServers: inbox.otherServers,
    stateFolder: wish.stateFolder,
    stderrLog: wish.stderrLog,
    secrets,
    readyTimeoutMs: READY_MS,
    clock: wish.clock,
    ids: wish.ids,
    mark: wish.mark,
    onSpawn: wish.onSpawn,
    onOddity: (what) => observer.on({ type: 'notice', level: 'info', text: what }),
  });
}

/** What of the agent a running worker can change. @throws WorkerError `file-unreadable` */
export async function changeableParts(
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeAgentChange> {
  const { text } = await readSystemPrompt(settings);
  const isWhole = settings.preset === 'answer';
  return {
    model: settings.model,
    systemPrompt: isWhole ? text : undefined,
    appendSystemPrompt: isWhole ? settings.appendSystemPrompt : joined(text, settings.appendSystemPrompt),
    environment: await agentEnvironment(settings, env),
    maxBudgetUsd: beltOf(settings),
    recycle: {
      turns: settings.recycleTurns === 'unlimited' ? undefined : settings.recycleTurns,
      ageMs: settings.recycleAgeMs,
      memoryBytes: settings.recycleMemory === 'unlimited' ? undefined : settings.recycleMemory * 1024 * 1024,
    },
  };
}

/** A process that ends may still say something of its token, so the last few stay hidden; all would slow every line. */
function hider(secrets: string[]): (token: string) => string {
  const hidden: string[] = [];
  return (token) => {
    hidden.push(token);
    secrets.push(token);
    const [oldest = ''] = hidden.length > TOKENS_HIDDEN ? hidden.splice(0, 1) : [];
    if (oldest !== '') secrets.splice(secrets.indexOf(oldest), 1);
    return token;
  };
}

/** Claude's whole environment: what its allowlist takes of `env`, and of the login in `.env`. */
export async function agentEnvironment(
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  return childEnvironment({ ...(await loginEnvironment(settings)), ...set(env) }, settings.passEnv);
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n');
}

/** A variable that a compose file or a script left open counts as unset: it must not hide the one of .env. */
function set(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

/** A process lives into at most two days, so twice the day's budget is never reached but by a fault of ours. */
function beltOf({ budgetDay }: Settings): number | undefined {
  return budgetDay.usd === 'unlimited' ? undefined : budgetDay.usd * 2;
}
