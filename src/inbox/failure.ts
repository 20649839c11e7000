// Reads what the SDK threw: why a request failed, and whether it may have arrived all the same.
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Failure, FailureReason } from './call.js';
import { retryAfterAt } from './instants.js';
import type { Scrub } from './secrets.js';
import type { Exchange } from './wire.js';

export interface FailedRequest {
  readonly error: unknown;
  readonly exchange: Exchange;
  /** The caller gave up. */
  readonly aborted: boolean;
  /** `connect`: nothing but the greeting was asked, so no call can have arrived. */
  readonly phase: 'connect' | 'call';
  /** Our end of the connection is closed. */
  readonly closed: boolean;
  readonly now: number;
  readonly limitMs: number;
  /** `the inbox at …`, as it stands in a sentence. */
  readonly server: string;
  /** What an inbox program last said on stderr. */
  readonly lastWords: string;
  readonly scrub: Scrub;
}

const KEY_HINT =
  'check it in .mcp.json or .env. (An inbox that wants an OAuth login is reached through a stdio entry that runs mcp-remote.)';

/** The SDK's words, and ours, for a request on a connection that had closed before. */
export const NOT_CONNECTED = 'Not connected';

export function failureOf(request: FailedRequest): Failure {
  const { error, server, aborted, limitMs } = request;
  if (aborted) return failed(request, 'aborted', `The request to ${server} was called off.`);
  if (error instanceof StreamableHTTPError) return httpFailure(request, error);
  if (error instanceof McpError) {
    // The SDK's own codes may also come from the server; its own ones are known by what it puts beside them.
    if (error.code === ErrorCode.RequestTimeout && hasTimeout(error.data)) {
      return failed(
        request,
        'down',
        `${sentenceStart(server)} did not answer within ${limitMs / 1_000} s${lastWords(request)}.`,
      );
    }
    if (error.code === ErrorCode.ConnectionClosed && request.closed) {
      return failed(
        request,
        'down',
        `The connection to ${server} was closed before it answered${lastWords(request)}.`,
      );
    }
    return rpcFailure(request, error);
  }
  if (error instanceof Error && error.message === NOT_CONNECTED) {
    return sure(failed(request, 'down', `The connection to ${server} is closed${lastWords(request)}.`));
  }
  const code = codeOf(error);
  if (code !== undefined || isFetchFailure(error)) return networkFailure(request, code);
  // The SDK could not make sense of the reply. Whether the call was acted upon, nobody can tell.
  const how = error instanceof Error ? ` (${request.scrub(`${error.name}: ${error.message}`, 120)})` : '';
  return failed(
    request,
    'unrecognised',
    `${sentenceStart(server)} answered with something that is not MCP${how}.`,
  );
}

function httpFailure(request: FailedRequest, error: StreamableHTTPError): Failure {
  const { server, phase, now, scrub, exchange } = request;
  const status = error.code ?? -1;
  const start = sentenceStart(server);
  const said = bodySentence(error.message, scrub);
  if (status === 401 || status === 403) {
    return sure(failed(request, 'unauthorised', `${start} refused our key (HTTP ${status}): ${KEY_HINT}`));
  }
  if (status === 429) {
    const until = retryAfterAt(exchange.retryAfter, now);
    return { ...sure(failed(request, 'rate-limited', `${start} asks us to wait (HTTP 429)${said}.`)), until };
  }
  // Some servers answer an unknown session with 400 instead of 404.
  if (phase === 'call' && (status === 404 || status === 400)) {
    const message = `${start} no longer knows our session (HTTP ${status})${said}.`;
    return { ...sure(failed(request, 'session-gone', message)), status };
  }
  if (status === 503) {
    // "Unable to handle the request": the one 5xx that says it was not acted upon.
    const until = retryAfterAt(exchange.retryAfter, now);
    return { ...sure(failed(request, 'down', `${start} is unavailable (HTTP 503)${said}.`)), until };
  }
  if (status >= 500) return failed(request, 'down', `${start} failed (HTTP ${status})${said}.`);
  if (status < 0)
    return failed(request, 'unrecognised', `${start} answered with something that is not MCP${said}.`);
  return sure(
    failed(
      request,
      'unrecognised',
      `${start} answered HTTP ${status}${said}: is this the address of an MCP server?`,
    ),
  );
}

const lastWords = ({ lastWords: said, scrub }: FailedRequest): string =>
  said === '' ? '' : `; it last said: ${scrub(said, 200).replace(/\.$/, '')}`;

/** These say that the call was not taken; any other code may have come after the deed. */
const NOT_TAKEN: ReadonlySet<number> = new Set([
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidParams,
]);

function rpcFailure(request: FailedRequest, error: McpError): Failure {
  const said = request.scrub(error.message.replace(/^MCP error -?\d+: /, ''), 160);
  const message = `${sentenceStart(request.server)} rejected the request: ${said}`;
  if (error.code === ErrorCode.InternalError) return failed(request, 'down', message);
  const isSession = request.phase === 'call' && error.code <= -32_000 && /\bsession\b/i.test(said);
  if (isSession) return sure(failed(request, 'session-gone', message));
  const failure = failed(request, 'rejected', message);
  return NOT_TAKEN.has(error.code) ? sure(failure) : failure;
}

/** Errors before a connection stands: nothing of the request has left. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EPROTO|UND_ERR_CONNECT_TIMEOUT|ENOENT|EACCES|CERT_.*|ERR_TLS.*|ERR_SSL.*|.*SELF_SIGNED.*|UNABLE_TO_.*)$/;

function networkFailure(request: FailedRequest, code: string | undefined): Failure {
  const { server, error } = request;
  const why = code ?? 'no connection';
  const started = server.startsWith('the inbox program');
  const message = started
    ? `${sentenceStart(server)} could not be started (${why}).`
    : `${sentenceStart(server)} is not reachable (${why}).`;
  const failure = failed(request, 'down', message);
  return (code !== undefined && NEVER_LEFT.test(code)) || whileConnecting(error) ? sure(failure) : failure;
}

function failed(request: FailedRequest, reason: FailureReason, message: string): Failure {
  return { kind: 'failed', reason, message, mayHaveArrived: request.phase === 'call' };
}

const sure = (failure: Failure): Failure => ({ ...failure, mayHaveArrived: false });

export const sentenceStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const hasTimeout = (data: unknown): boolean =>
  isObject(data) && ('timeout' in data || 'maxTotalTimeout' in data);

const isFetchFailure = (error: unknown): boolean =>
  error instanceof TypeError && error.message === 'fetch failed';

/** The system's code, from the error or from what caused it. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; isObject(at) && depth < 4; at = at.cause, depth += 1) {
    if (typeof at.code === 'string') return at.code;
  }
  return undefined;
}

function whileConnecting(error: unknown): boolean {
  for (let at = error, depth = 0; isObject(at) && depth < 4; at = at.cause, depth += 1) {
    if (at.syscall === 'connect') return true;
  }
  return false;
}

/** What the body of an HTTP error says, where it is short enough to be meant for people. */
function bodySentence(message: string, scrub: Scrub): string {
  const body = message
    .replace(/^Streamable HTTP error: /, '')
    .replace(/^Error POSTing to endpoint: /, '')
    .trim();
  const text = rpcMessage(body) ?? body;
  if (text === '' || text === 'null' || /^\s*[<{[]/.test(text)) return '';
  return `: ${scrub(text, 160).replace(/\.$/, '')}`;
}

function rpcMessage(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isObject(parsed) ? parsed.error : undefined;
    if (isObject(error) && typeof error.message === 'string') return error.message;
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
