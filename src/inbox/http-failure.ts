// What an HTTP status other than success says of a request.
import type { Failure } from './call.js';
import { type FailedRequest, failed, isObject, sentenceStart, sure } from './failed-request.js';
import { retryAfterAt } from './instants.js';
import type { Scrub } from './secrets.js';
import { refusedVersions, versionFailure } from './version-failure.js';

const KEY_HINT =
  'check it in .mcp.json or .env. (An inbox that wants an OAuth login is reached through a stdio entry that runs mcp-remote.)';
const NO_KEY =
  'its entry in .mcp.json has an url and none; add "headers": { "Authorization": "Bearer ${AGENTDM_API_KEY}" }, and put the key into .env.';
const METHOD_NOT_FOUND = -32_601;

/** @param body of the answer, or the SDK's words for it */
export function httpFailure(request: FailedRequest, status: number, body: string): Failure {
  return { ...failureFor(request, status, body), status };
}

function failureFor(request: FailedRequest, status: number, body: string): Failure {
  const { server, phase, era, now, scrub, exchange } = request;
  const start = sentenceStart(server);
  const rpc = rpcErrorIn(body);
  const said = sayOf(body, rpc, scrub);
  if (status === 401 || status === 403) {
    const why = request.hasKey
      ? `refused our key (HTTP ${status}): ${KEY_HINT}`
      : `wants a key (HTTP ${status}): ${NO_KEY}`;
    return sure(failed(request, 'unauthorised', `${start} ${why}`));
  }
  const until = retryAfterAt(exchange.retryAfter, now);
  if (status === 429) {
    return { ...sure(failed(request, 'rate-limited', `${start} asks us to wait (HTTP 429)${said}.`)), until };
  }
  const versions = refusedVersions(rpc?.code, rpc?.data);
  if (versions) return versionFailure(request, versions);
  // A modern server says so of a method, an old one of a session; some old ones say 400 instead of 404.
  if (era === 'modern' && rpc?.code === METHOD_NOT_FOUND) {
    return sure(failed(request, 'rejected', `${start} rejected the request${said}.`));
  }
  if (phase === 'call' && (status === 404 || status === 400)) {
    const lost = era === 'modern' ? `takes ${request.protocol ?? 'our requests'}` : 'knows our session';
    return sure(failed(request, 'session-gone', `${start} no longer ${lost} (HTTP ${status})${said}.`));
  }
  if (status === 503) {
    // "Unable to handle the request": the one 5xx that says it was not acted upon.
    return { ...sure(failed(request, 'down', `${start} is unavailable (HTTP 503)${said}.`)), until };
  }
  if (status >= 500) return failed(request, 'down', `${start} failed (HTTP ${status})${said}.`);
  return sure(
    failed(
      request,
      'unrecognised',
      `${start} answered HTTP ${status}${said}: is this the address of an MCP server?`,
    ),
  );
}

interface RpcError {
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
}

function rpcErrorIn(body: string): RpcError | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isObject(parsed) ? parsed.error : undefined;
    if (typeof error === 'string') return { code: undefined, message: error, data: undefined };
    return isObject(error) ? { code: error.code, message: error.message, data: error.data } : undefined;
  } catch {
    return undefined;
  }
}

/** What the body says, where it is short enough to be meant for people. */
function sayOf(body: string, rpc: RpcError | undefined, scrub: Scrub): string {
  const text = typeof rpc?.message === 'string' ? rpc.message : body.trim();
  if (text === '' || text === 'null' || /^\s*[<{[]/.test(text)) return '';
  return `: ${scrub(text, 160).replace(/\.$/, '')}`;
}
