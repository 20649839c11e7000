// The readiness gate: proves by control requests, without a model call, that Claude has the gateway's tools.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DeadlineError } from '../lib/deadline.js';
import { redact } from '../lib/redact.js';
import type { AgentTimings } from './options.js';
import { ControlRefused, type Protocol } from './protocol.js';

export type Readiness =
  | {
      readonly kind: 'ready';
      /** False: the version answers no `mcp_status`, so the first init of a turn has to show the gateway. */
      readonly proven: boolean;
      readonly notes: readonly string[];
    }
  | { readonly kind: 'not-ready'; readonly message: string };

export interface GateOptions {
  readonly gatewayName: string;
  /** For all of it. */
  readonly limitMs: number;
  readonly timings: AgentTimings;
  readonly signal: AbortSignal;
}

// The answer also holds the servers' headers in clear: only these fields are ever looked at.
const statusAnswer = z.looseObject({
  mcpServers: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string().optional().catch(undefined),
      error: z.string().optional().catch(undefined),
    }),
  ),
});
type ServerStatus = z.infer<typeof statusAnswer>['mcpServers'][number];

const initAnswer = z.looseObject({
  account: z
    .looseObject({
      tokenSource: z.string().optional().catch(undefined),
      apiKeySource: z.string().optional().catch(undefined),
      apiProvider: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Among the notes of one that is ready, where it has neither key nor login. */
export const LOGGED_OUT = 'Claude Code says that it is not logged in.';

/** Opens the protocol and waits for the gateway. Rejects with `StreamEnded` when the process ends meanwhile. */
export async function proveReady(protocol: Protocol, options: GateOptions): Promise<Readiness> {
  const startedAt = performance.now();
  let answer: unknown;
  try {
    answer = await protocol.control({ subtype: 'initialize' }, options.limitMs);
  } catch (error) {
    if (error instanceof ControlRefused) answer = undefined;
    else if (error instanceof DeadlineError) {
      return notReady(`Claude Code did not answer within ${seconds(options.limitMs)} after its start.`);
    } else throw error;
  }
  const limitMs = Math.max(0, options.limitMs - (performance.now() - startedAt));
  const gateway = await awaitGateway(protocol, { ...options, limitMs });
  if (gateway.kind !== 'ready' || !saysLoggedOut(answer)) return gateway;
  return { ...gateway, notes: [...gateway.notes, LOGGED_OUT] };
}

/** Polls the state of the servers until the gateway is connected; asks once for a new try when it has failed. */
export async function awaitGateway(protocol: Protocol, options: GateOptions): Promise<Readiness> {
  const { gatewayName, limitMs, timings, signal } = options;
  const startedAt = performance.now();
  let connectedAt: number | undefined;
  let reconnected = false;
  for (;;) {
    const servers = await mcpStatus(protocol, timings.controlMs);
    if (servers === undefined) {
      return {
        kind: 'ready',
        proven: false,
        notes: ['Claude Code does not tell the state of its MCP servers.'],
      };
    }
    const gateway = servers.find((server) => server.name === gatewayName && server.status === 'connected');
    const passedMs = performance.now() - startedAt;
    if (gateway) {
      connectedAt ??= passedMs;
      const late = laggards(servers, gatewayName);
      if (
        late.pending.length === 0 ||
        passedMs - connectedAt >= timings.otherServersMs ||
        passedMs >= limitMs
      ) {
        return { kind: 'ready', proven: true, notes: late.notes };
      }
    } else {
      const state = servers.find((server) => server.name === gatewayName);
      const waits = state === undefined || state.status === 'pending';
      if (!waits && reconnected) return notReady(gatewayTrouble(state));
      if (passedMs >= limitMs) return notReady(gatewayTrouble(state));
      if (!waits) {
        reconnected = true;
        await reconnect(protocol, gatewayName, timings.controlMs);
        continue;
      }
    }
    if (signal.aborted) return notReady('The start of Claude Code was called off.');
    await sleep(timings.pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Undefined when this version does not answer the question. */
async function mcpStatus(protocol: Protocol, limitMs: number): Promise<readonly ServerStatus[] | undefined> {
  try {
    const answer = statusAnswer.safeParse(await protocol.control({ subtype: 'mcp_status' }, limitMs));
    return answer.success ? answer.data.mcpServers : undefined;
  } catch (error) {
    if (error instanceof ControlRefused || error instanceof DeadlineError) return undefined;
    throw error;
  }
}

async function reconnect(protocol: Protocol, serverName: string, limitMs: number): Promise<void> {
  try {
    await protocol.control({ subtype: 'mcp_reconnect', serverName }, limitMs);
  } catch (error) {
    // Refused or unanswered: the state that is read next says all that matters.
    if (!(error instanceof ControlRefused || error instanceof DeadlineError)) throw error;
  }
}

function laggards(servers: readonly ServerStatus[], gatewayName: string) {
  const others = servers.filter((server) => server.name !== gatewayName && server.status !== 'connected');
  return {
    pending: others.filter((server) => server.status === 'pending'),
    notes: others.map(
      (server) =>
        `The MCP server ${server.name} is ${server.status ?? 'in an unknown state'}; Claude works without it.`,
    ),
  };
}

function gatewayTrouble(state: ServerStatus | undefined): string {
  if (state === undefined) return 'Claude Code ignored the gateway in its MCP configuration.';
  const why = state.error === undefined ? '' : `: ${redact(state.error).slice(0, 200)}`;
  return `The gateway is ${state.status ?? 'in an unknown state'} in Claude Code${why}`;
}

/** Seen with neither key nor login; every other way to log in names a source or another provider. */
function saysLoggedOut(answer: unknown): boolean {
  const account = initAnswer.safeParse(answer).data?.account;
  return (
    account?.tokenSource === 'none' &&
    account.apiKeySource === undefined &&
    account.apiProvider === 'firstParty'
  );
}

const notReady = (message: string): Readiness => ({ kind: 'not-ready', message });
const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
