// What an agent is made of: all that the composition root hands in.
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { RecycleLimits } from './fatigue.js';
import type { Preset } from './presets.js';

/** The MCP server of ours that Claude talks to, and how it knows this process. */
export interface GatewayAccess {
  /** The server's name in Claude's configuration, so that its tools are `mcp__NAME__…`. */
  readonly name: string;
  readonly url: string;
  /** A new token for a new process. */
  issueToken(): string;
  /** Called before the process is ended: what it still asks is refused. */
  revokeToken(token: string): void;
}

export interface AgentTimings {
  /** A control request is answered within this. */
  readonly controlMs: number;
  /** `/clear` has shown its effect within this. */
  readonly clearMs: number;
  /** A turn that was interrupted gives its result within this, or the process is replaced. */
  readonly interruptMs: number;
  /** Between two looks at the gateway's state at start. */
  readonly pollMs: number;
  /** How long servers carried along may still be connecting when the gateway is ready. */
  readonly otherServersMs: number;
  /** Ending a process between turns. */
  readonly endMs: number;
}

export const DEFAULT_TIMINGS: AgentTimings = {
  controlMs: 10_000,
  clearMs: 15_000,
  interruptMs: 5_000,
  pollMs: 50,
  otherServersMs: 15_000,
  endMs: 5_000,
};

/** What may change while the agent lives: from the next process on, which replaces the one that is up. */
export type ClaudeAgentChange = Pick<
  ClaudeAgentOptions,
  'model' | 'systemPrompt' | 'appendSystemPrompt' | 'environment' | 'maxBudgetUsd' | 'recycle'
>;

export interface ClaudeAgentOptions {
  /** As `findClaude` found it. */
  readonly claudePath: string;
  /** As `findClaude` read it; undefined when it could not be told, which counts as new. */
  readonly version?: string | undefined;
  /** The agent's folder. */
  readonly cwd: string;
  readonly preset: Preset;
  readonly model?: string | undefined;
  /** Replaces Claude Code's own system prompt; only preset `answer` takes it. */
  readonly systemPrompt?: string | undefined;
  /** Is appended to whichever system prompt there is. */
  readonly appendSystemPrompt?: string | undefined;
  readonly extraArgs?: readonly string[];
  /** Claude's whole environment, already filtered (`childEnvironment`). */
  readonly environment: Readonly<Record<string, string>>;
  readonly gateway: GatewayAccess;
  /** Further entries of `mcpServers`, carried along as they are; their tools are allowed too. */
  readonly otherServers?: Readonly<Record<string, unknown>>;
  /** Outside the agent's folder, mode 0700: the generated MCP configuration is written here. */
  readonly stateFolder: string;
  /** Claude's stderr is appended to this file. */
  readonly stderrLog: string;
  /** Literals that must not stand there, nor in a sentence about it. Read at each line: more may be pushed later. */
  readonly secrets?: readonly string[] | undefined;
  /** A belt: what one process may spend in all, by its own count; then it is replaced. US dollars. */
  readonly maxBudgetUsd?: number | undefined;
  /** When a healthy process is replaced between two turns; its session is resumed. */
  readonly recycle?: RecycleLimits | undefined;
  /** From the spawn to the proof of readiness. */
  readonly readyTimeoutMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called when a process is up and before it gets anything to do; a promise is awaited. */
  onSpawn?(pid: number, processStart: string): void | Promise<void>;
  /** Something that should not be but does no harm, in one sentence. */
  onOddity?(what: string): void;
  /**
   * Stands in the environment of Claude and of all it starts, so that stragglers are found when Claude is gone.
   * Must be the same over restarts of the worker for `endOrphan` to find them. Default: a random one.
   */
  readonly mark?: string;
  readonly timings?: Partial<AgentTimings>;
}
