// Starts a Claude Code process and proves that it is ready, or says why it is not.
import { WorkerError } from '../domain/errors.js';
import { claudeArgs, type Opening } from './argv.js';
import { type McpConfigFile, writeMcpConfig } from './mcp-config.js';
import type { AgentTimings, ClaudeAgentOptions } from './options.js';
import { parentDeathPrefix } from './parent-death.js';
import { rootRefusal } from './presets.js';
import { StreamEnded } from './protocol.js';
import { proveReady } from './readiness.js';
import { Running } from './running.js';
import { explainStart } from './start-failure.js';
import type { StderrLog } from './stderr-log.js';

export type StartOutcome =
  | { readonly kind: 'started'; readonly running: Running }
  | { readonly kind: 'unknown-session' }
  | { readonly kind: 'unusable'; readonly error: WorkerError }
  | { readonly kind: 'not-ready'; readonly message: string };

export interface StartOptions {
  readonly agent: ClaudeAgentOptions;
  readonly timings: AgentTimings;
  readonly mark: string;
  readonly log: StderrLog;
  readonly opening: Opening;
  /** Ends the start, and the process with it. */
  readonly signal: AbortSignal;
}

/** Leaves no process behind unless it answers `started`. Rejects when the folders cannot be written. */
export async function startClaude(options: StartOptions): Promise<StartOutcome> {
  const { agent, signal } = options;
  const refused = rootRefusal(agent.preset, process.getuid?.(), agent.environment);
  if (refused) return { kind: 'unusable', error: refused };
  const prefix = await parentDeathPrefix();
  if (signal.aborted) return calledOff;
  const running = await spawn(options, prefix);
  const abort = (): void => void running.retire(0);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const outcome = await prove(running, options);
    if (outcome.kind !== 'started') await running.retire(0);
    return outcome;
  } catch (error) {
    await running.retire(0);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function spawn(
  { agent, mark, log, opening }: StartOptions,
  prefix: readonly string[],
): Promise<Running> {
  const { gateway } = agent;
  const token = gateway.issueToken();
  let config: McpConfigFile | undefined;
  try {
    config = await writeMcpConfig(agent.stateFolder, { ...gateway, token }, agent.otherServers);
    return new Running({
      file: agent.claudePath,
      args: claudeArgs(agent, config.path, opening),
      prefix,
      cwd: agent.cwd,
      environment: agent.environment,
      mark,
      gateway,
      token,
      secrets: agent.secrets,
      config,
      log,
      sessionId: opening.sessionId,
      version: agent.version,
      onOddity: (what) => agent.onOddity?.(what),
    });
  } catch (error) {
    gateway.revokeToken(token);
    await config?.remove();
    throw error;
  }
}

async function prove(running: Running, options: StartOptions): Promise<StartOutcome> {
  const { agent, timings, signal } = options;
  const { pid, processStart } = running.child;
  try {
    if (pid !== undefined && processStart !== undefined) await agent.onSpawn?.(pid, processStart);
    const gate = await proveReady(running.protocol, {
      gatewayName: agent.gateway.name,
      limitMs: agent.readyTimeoutMs,
      timings,
      signal,
    });
    if (signal.aborted) return calledOff;
    if (gate.kind === 'not-ready') return gate;
    running.proven = gate.proven;
    running.dirty = options.opening.kind === 'resume';
    for (const note of gate.notes) agent.onOddity?.(note);
    return { kind: 'started', running };
  } catch (error) {
    if (signal.aborted) return calledOff;
    if (running.alive && !(error instanceof StreamEnded)) {
      // A write can fail a moment before the end is known; the end tells more.
      await running.child.end(1_000);
    }
    const exit = await running.child.exited;
    return explainStart({ exit, stderr: running.stderr, said: running.said, claudePath: agent.claudePath });
  }
}

export const calledOff = { kind: 'not-ready', message: 'The start of Claude Code was called off.' } as const;

/** Of something thrown at a start: what is ours is told as it is, anything else may pass. */
export function outcomeOf(error: unknown): StartOutcome {
  if (error instanceof WorkerError) return { kind: 'unusable', error };
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'not-ready', message: `Claude Code could not be started: ${reason}` };
}
