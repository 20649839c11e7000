// Why a post is refused: the status and the sentence of each reason, in the order in which they are checked.
import type { WebhookRefusal } from '../domain/wake.js';

export const REFUSALS = {
  method: { status: 405, sentence: 'This method is not answered here.' },
  path: { status: 404, sentence: 'There is nothing here.' },
  'too-large': { status: 413, sentence: 'The body is too large.' },
  malformed: { status: 400, sentence: 'The signature headers are incomplete or malformed.' },
  unsigned: { status: 401, sentence: 'A signature or a bearer token is required.' },
  stale: { status: 401, sentence: 'The timestamp is too far from the time here.' },
  signature: { status: 401, sentence: 'The signature or token does not match.' },
} as const satisfies Record<WebhookRefusal, { status: number; sentence: string }>;

export type RefusalReason = WebhookRefusal;

/** Whether it was the proof that was missing or wrong: somebody who means to call may have the wrong secret. */
export function isAboutProof(reason: RefusalReason): boolean {
  return ['malformed', 'unsigned', 'stale', 'signature'].includes(reason);
}
