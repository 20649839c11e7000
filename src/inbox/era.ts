// The two eras of MCP: in which one a server is greeted first, and when a refusal is a reason to try the other.
import type { Failure } from './call.js';
import type { InboxServer } from './options.js';

/**
 * The specification's words. `legacy`, up to 2025-11-25: a session begins with `initialize`. `modern`, from 2026-07-28:
 * no session, every request says its version, `server/discover` tells what there is. A server may know only one.
 */
export type Era = 'legacy' | 'modern';

/** What the SDK's client offers a modern server. */
export const MODERN_VERSION = '2026-07-28';

export const otherEra = (era: Era): Era => (era === 'modern' ? 'legacy' : 'modern');

/**
 * The era that was spoken last, else the newer one. A program is greeted in the older one first: one that does not
 * know `server/discover` may end at it, or never answer (mcp-remote passes it on and swallows the refusal), and to
 * start it twice at every start may ask a person twice for a login. Over HTTP it is one more request, which every
 * current client makes.
 */
export function firstEra(server: InboxServer, known: Era | undefined): Era {
  return known ?? (server.type === 'stdio' ? 'legacy' : 'modern');
}

/**
 * What a failed greeting says of the era it was made in.
 * `none`: nothing. Refused keys, "wait", an outage: the other greeting would meet the same, or hide it.
 * `some`: an old server may choke on a question it does not know; if the other greeting fails too, it was an outage.
 * `strong`: the server does not know this greeting, or is no MCP server at all.
 */
export type Doubt = 'none' | 'some' | 'strong';

export function doubtOf(failure: Failure, tried: Era, known: Era | undefined): Doubt {
  switch (failure.reason) {
    case 'rejected':
    case 'unrecognised':
    case 'session-gone':
      // Where it named its versions, they decide.
      return failure.versions?.every((version) => eraOf(version) === tried) ? 'none' : 'strong';
    case 'down': {
      const { status = 0, unanswered } = failure;
      const chokes = unanswered !== undefined || (status >= 500 && status !== 503);
      return chokes && tried === 'modern' && known === undefined ? 'some' : 'none';
    }
    case 'unauthorised':
    case 'rate-limited':
    case 'aborted':
      return 'none';
  }
}

/** Versions are dates, so that the alphabet orders them. */
function eraOf(version: string): Era {
  return version >= MODERN_VERSION ? 'modern' : 'legacy';
}
