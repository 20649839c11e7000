// A request that failed, as far as it is known, and the two shapes of what is said of it.
import type { Failure, FailureReason } from './call.js';
import type { Era } from './era.js';
import type { Scrub } from './secrets.js';
import type { Exchange } from './wire.js';

export interface FailedRequest {
  readonly error: unknown;
  readonly exchange: Exchange;
  /** The caller gave up. */
  readonly aborted: boolean;
  /** `connect`: nothing but the greeting was asked, so no call can have arrived. */
  readonly phase: 'connect' | 'call';
  readonly era: Era;
  /** What was agreed on, as it stands in a sentence; undefined before. */
  readonly protocol: string | undefined;
  readonly now: number;
  readonly limitMs: number;
  /** `the inbox at …`, as it stands in a sentence. */
  readonly server: string;
  /** Something was sent along by which it could know us. */
  readonly hasKey: boolean;
  /** What an inbox program last said on stderr. */
  readonly lastWords: string;
  readonly scrub: Scrub;
}

export function failed(request: FailedRequest, reason: FailureReason, message: string): Failure {
  return { kind: 'failed', reason, message, mayHaveArrived: request.phase === 'call' };
}

/** The same of a request that was certainly not acted upon. */
export const sure = (failure: Failure): Failure => ({ ...failure, mayHaveArrived: false });

export const sentenceStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
