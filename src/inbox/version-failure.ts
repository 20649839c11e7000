// A server that refused our version of MCP: which ones it named, and what that means for the request.
import type { Failure } from './call.js';
import { type FailedRequest, failed, isObject, sentenceStart, sure } from './failed-request.js';

const UNSUPPORTED_VERSION = -32_022;

/** The versions named beside the refusal; undefined where it is none, or names none. */
export function refusedVersions(code: unknown, data: unknown): readonly string[] | undefined {
  if (code !== UNSUPPORTED_VERSION) return undefined;
  const named = isObject(data) && Array.isArray(data.supported) ? data.supported : [];
  const versions = named.filter((version) => typeof version === 'string');
  return versions.length > 0 ? versions : undefined;
}

/** In the middle of a session it is another server than the one we greeted: greet it anew. */
export function versionFailure(request: FailedRequest, versions: readonly string[]): Failure {
  const { phase, server, protocol, scrub } = request;
  const start = sentenceStart(server);
  const theirs = scrub(versions.join(', '), 80);
  const failure =
    phase === 'call'
      ? failed(request, 'session-gone', `${start} no longer takes ${protocol ?? 'our requests'}.`)
      : failed(
          request,
          'unrecognised',
          `${start} speaks MCP ${theirs} and this version of the worker does not: look for a newer one.`,
        );
  return { ...sure(failure), versions };
}
