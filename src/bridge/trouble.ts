// What goes wrong between bridge and inbox, as an MCP error with a sentence.
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { WorkerError } from '../domain/errors.js';
import { oneLine } from '../lib/one-line.js';
import { redact } from '../lib/redact.js';

export type TroubleKind =
  /** The inbox has forgotten our session. */
  | 'gone'
  /** No connection, or it broke. */
  | 'lost'
  /** No answer within the limit. */
  | 'late'
  /** The key is refused. */
  | 'refused'
  /** The inbox understood and said no. */
  | 'rejected'
  | 'other';

interface Details {
  readonly kind: TroubleKind;
  readonly sentence: string;
  /** The call may have been acted upon. */
  readonly mayHaveArrived?: boolean;
  readonly code?: number;
  readonly data?: unknown;
}

/** The SDK's server writes `code`, `message` and `data` of what a handler throws into its JSON-RPC error. */
export class Trouble extends Error {
  readonly kind: TroubleKind;
  readonly code: number;
  readonly data: unknown;
  readonly mayHaveArrived: boolean;

  constructor({ kind, sentence, mayHaveArrived = false, code = ErrorCode.InternalError, data }: Details) {
    super(sentence);
    this.name = 'Trouble';
    this.kind = kind;
    this.code = code;
    this.data = data;
    this.mayHaveArrived = mayHaveArrived;
  }

  /** The same with another sentence. */
  saying(sentence: string): Trouble {
    const { kind, mayHaveArrived, code, data } = this;
    return new Trouble({ kind, sentence, mayHaveArrived, code, data });
  }
}

export interface Failed {
  readonly error: unknown;
  /** `the inbox at …`. */
  readonly inbox: string;
  /** `connect`: no call has been made yet. */
  readonly phase: 'connect' | 'call';
  readonly limitMs: number;
  /** Values that no sentence may hold. */
  readonly secrets: readonly string[];
}

export function troubleOf(failed: Failed): Trouble {
  const { error, phase, limitMs } = failed;
  const mayHaveArrived = phase === 'call';
  const inbox = failed.inbox.charAt(0).toUpperCase() + failed.inbox.slice(1);
  const clean = (text: string): string => oneLine(redact(text, failed.secrets), 200);
  if (error instanceof Trouble) return error;
  if (error instanceof WorkerError) {
    return new Trouble({ kind: 'lost', sentence: clean(`${error.message} ${error.hint}`) });
  }
  if (error instanceof StreamableHTTPError) return ofStatus(error.code ?? -1, inbox, phase);
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout && isOwnTimeout(error.data)) {
      return new Trouble({
        kind: 'late',
        mayHaveArrived,
        sentence: `${inbox} did not answer within ${limitMs / 1_000} s.`,
      });
    }
    if (error.code === ErrorCode.ConnectionClosed) {
      return new Trouble({
        kind: 'lost',
        mayHaveArrived,
        sentence: `The connection to ${failed.inbox} broke.`,
      });
    }
    const said = error.message.replace(/^MCP error -?\d+: /, '');
    const { code, data } = error;
    if (phase === 'call' && code <= -32_000 && /\bsession\b/i.test(said)) {
      return new Trouble({ kind: 'gone', sentence: `${inbox} no longer knows the session: ${clean(said)}` });
    }
    // The inbox's own word is passed on as it is.
    return new Trouble({ kind: 'rejected', mayHaveArrived, sentence: said, code, data });
  }
  const system = systemCode(error);
  if (system !== undefined || (error instanceof TypeError && error.message === 'fetch failed')) {
    const left = system === undefined || !NEVER_LEFT.test(system);
    return new Trouble({
      kind: 'lost',
      mayHaveArrived: mayHaveArrived && left,
      sentence: `${inbox} is not reachable (${system ?? 'no connection'}).`,
    });
  }
  const what = error instanceof Error ? clean(error.message) : 'unknown';
  return new Trouble({
    kind: 'other',
    mayHaveArrived,
    sentence: `${inbox} answered with something that is not MCP (${what}).`,
  });
}

function ofStatus(status: number, inbox: string, phase: Failed['phase']): Trouble {
  if (status === 401 || status === 403) {
    const sentence = `${inbox} refused the key (HTTP ${status}): check it. An inbox that wants an OAuth login is reached with mcp-remote instead of this bridge.`;
    return new Trouble({ kind: 'refused', sentence });
  }
  if (status === 429)
    return new Trouble({ kind: 'other', sentence: `${inbox} asks to wait (HTTP 429): try again later.` });
  // Some servers answer an unknown session with 400 instead of 404.
  if (phase === 'call' && (status === 404 || status === 400)) {
    return new Trouble({ kind: 'gone', sentence: `${inbox} no longer knows the session (HTTP ${status}).` });
  }
  if (status < 0) {
    return new Trouble({
      kind: 'other',
      mayHaveArrived: phase === 'call',
      sentence: `${inbox} answered with something that is not MCP.`,
    });
  }
  const hint = status >= 500 ? '' : ' Is this the address of an MCP server?';
  return new Trouble({
    kind: status >= 500 ? 'lost' : 'other',
    mayHaveArrived: phase === 'call' && status >= 500 && status !== 503,
    sentence: `${inbox} answered HTTP ${status}.${hint}`,
  });
}

/** Errors before a connection stands: nothing of the request has left. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS.*|.*SELF_SIGNED.*|UNABLE_TO_.*)$/;

/** The SDK's own timeouts tell their limit; a server may use the same code. */
const isOwnTimeout = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);

function systemCode(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 4; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at.cause;
  }
  return undefined;
}
