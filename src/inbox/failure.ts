// Reads what the SDK threw: why a request failed, and whether it may have arrived all the same.
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import type { Failure } from './call.js';
import { MODERN_VERSION } from './era.js';
import { type FailedRequest, failed, isObject, sentenceStart, sure } from './failed-request.js';
import { httpFailure } from './http-failure.js';
import { refusedVersions, versionFailure } from './version-failure.js';

/** The SDK's words, and ours, for a request on a connection that had closed before. */
export const NOT_CONNECTED = 'Not connected';

/** The SDK's words for a program that ended before it said which era it speaks. */
const CLOSED_WHILE_ASKED = /^Connection closed during/;

/** Before the body of an HTTP error, in the SDK's message. */
const BODY_FOLLOWS = 'Error POSTing to endpoint: ';

export function failureOf(request: FailedRequest): Failure {
  const { error, server, aborted, exchange } = request;
  if (aborted) return failed(request, 'aborted', `The request to ${server} was called off.`);
  if (exchange.unanswered) return unanswered(request);
  if (error instanceof SdkError) return sdkFailure(request, error);
  if (error instanceof ProtocolError) return rpcFailure(request, error);
  if (error instanceof Error && error.message === NOT_CONNECTED) return notConnected(request);
  const code = codeOf(error);
  if (code !== undefined || isFetchFailure(error)) return networkFailure(request, code);
  return notMcp(request, error);
}

/** Errors that the SDK made itself; what a server said is a `ProtocolError`. */
function sdkFailure(request: FailedRequest, error: SdkError): Failure {
  const { server, limitMs, exchange } = request;
  if (error instanceof SdkHttpError) return httpFailure(request, error.status, bodyOf(error));
  switch (error.code) {
    case SdkErrorCode.RequestTimeout: {
      const text = `${sentenceStart(server)} did not answer within ${limitMs / 1_000} s${lastWords(request)}.`;
      return { ...failed(request, 'down', text), unanswered: 'silent' };
    }
    case SdkErrorCode.ConnectionClosed:
      return closed(request);
    case SdkErrorCode.NotConnected:
      return notConnected(request);
    case SdkErrorCode.EraNegotiationFailed:
      if (error.cause instanceof Error && CLOSED_WHILE_ASKED.test(error.cause.message))
        return closed(request);
      if (error.cause !== undefined) return failureOf({ ...request, error: error.cause });
      if ((exchange.status ?? 0) >= 400) return httpFailure(request, exchange.status ?? 0, '');
      return sure(
        failed(request, 'rejected', `${sentenceStart(server)} does not speak MCP ${MODERN_VERSION}.`),
      );
    case SdkErrorCode.UnsupportedResultType:
      // It has not done yet what was asked: it wants something from a person first.
      return sure(
        failed(
          request,
          'rejected',
          `${sentenceStart(server)} wants more input before it answers, which the worker cannot give.`,
        ),
      );
    default:
      return notMcp(request, error);
  }
}

/** These say that the call was not taken; any other code may have come after the deed. */
const NOT_TAKEN: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  /** HeaderMismatch, which the SDK does not name. */
  -32_020,
]);

function rpcFailure(request: FailedRequest, error: ProtocolError): Failure {
  const { code, data } = error;
  const versions = refusedVersions(code, data);
  if (versions) return versionFailure(request, versions);
  const said = request.scrub(error.message, 160);
  const message = `${sentenceStart(request.server)} rejected the request: ${said}`;
  if (code === ProtocolErrorCode.InternalError) return failed(request, 'down', message);
  const isSession = request.phase === 'call' && code <= -32_000 && /\bsession\b/i.test(said);
  if (isSession) return sure(failed(request, 'session-gone', message));
  const failure = failed(request, 'rejected', message);
  return NOT_TAKEN.has(code) ? sure(failure) : failure;
}

/** Errors before a connection stands: nothing of the request has left. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EPROTO|UND_ERR_CONNECT_TIMEOUT|ENOENT|EACCES|CERT_.*|ERR_TLS.*|ERR_SSL.*|.*SELF_SIGNED.*|UNABLE_TO_.*)$/;

function networkFailure(request: FailedRequest, code: string | undefined): Failure {
  const { server, error, exchange } = request;
  // The head of an answer had come.
  if (exchange.status !== undefined) return unanswered(request);
  const why = code ?? 'no connection';
  const started = server.startsWith('the inbox program');
  const message = started
    ? `${sentenceStart(server)} could not be started (${why}).`
    : `${sentenceStart(server)} is not reachable (${why}).`;
  const failure = failed(request, 'down', message);
  return (code !== undefined && NEVER_LEFT.test(code)) || whileConnecting(error) ? sure(failure) : failure;
}

function unanswered(request: FailedRequest): Failure {
  const { server, exchange } = request;
  const how =
    exchange.status === 202
      ? 'took the request and gave no answer (HTTP 202)'
      : 'cut its answer before the end';
  return { ...failed(request, 'down', `${sentenceStart(server)} ${how}.`), unanswered: 'cut' };
}

const closed = (request: FailedRequest): Failure =>
  failed(
    request,
    'down',
    `The connection to ${request.server} was closed before it answered${lastWords(request)}.`,
  );

const notConnected = (request: FailedRequest): Failure =>
  sure(failed(request, 'down', `The connection to ${request.server} is closed${lastWords(request)}.`));

/** The SDK could not make sense of the reply. Whether the call was acted upon, nobody can tell. */
function notMcp(request: FailedRequest, error: unknown): Failure {
  const how = error instanceof Error ? ` (${request.scrub(`${error.name}: ${error.message}`, 120)})` : '';
  const what = request.protocol ?? 'MCP';
  return failed(
    request,
    'unrecognised',
    `${sentenceStart(request.server)} answered with something that is not ${what}${how}.`,
  );
}

const lastWords = ({ lastWords: said, scrub }: FailedRequest): string =>
  said === '' ? '' : `; it last said: ${scrub(said, 200).replace(/\.$/, '')}`;

/** The message carries the SDK's own words where it refused to follow a redirect. */
function bodyOf({ message, data }: SdkHttpError): string {
  if (message.startsWith(BODY_FOLLOWS)) return message.slice(BODY_FOLLOWS.length);
  const { text } = data as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

const isFetchFailure = (error: unknown): boolean =>
  error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);

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
