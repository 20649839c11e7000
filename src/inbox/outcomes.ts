// What a failed request means for a look and for a send.
import type { LookOutcome, SendOutcome } from '../ports/upstream.js';
import type { Failure } from './call.js';

export function lookFailure(failure: Failure): LookOutcome {
  const { message, until } = failure;
  switch (failure.reason) {
    case 'unauthorised':
      return { kind: 'unauthorised', message };
    case 'rate-limited':
      return { kind: 'rate-limited', message, until };
    case 'unrecognised':
    case 'rejected':
      return { kind: 'unrecognised', message };
    case 'down':
    case 'session-gone':
    case 'aborted':
      return { kind: 'down', message };
  }
}

/** `unsure` wherever the request may have left and nobody heard the end of it. */
export function sendFailure(failure: Failure): SendOutcome {
  const { message, until, reason } = failure;
  if (failure.mayHaveArrived) return { kind: 'unsure', message };
  if (reason === 'unauthorised') return { kind: 'unauthorised', message };
  return reason === 'rejected' ? { kind: 'refused', message } : { kind: 'later', message, until };
}
