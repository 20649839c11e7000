// What control says over HTTP: shapes that both the routes and their client know.
import { ERROR_KINDS, type ErrorCode, WorkerError } from '../domain/errors.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { TurnRecord, TurnResult } from '../ports/ledger.js';
import type { MessageLife } from '../ports/mailbox.js';

export type StopHow = 'drain' | 'force';

/** A turn as the ledger has it; without a result while it runs, or where a crash took it. */
export type TurnLine = TurnRecord & Partial<TurnResult>;

/** A message's whole life: the message, and what was sent for its claim. */
export interface MessageStory {
  readonly message: MessageLife;
  readonly sends: readonly OutboxRow[];
}

/** The body of every refusal: a sentence, what to try, and a code of domain/errors. */
export interface Refusal {
  readonly error: string;
  readonly try: string;
  readonly code: ErrorCode;
}

export function refusal(code: ErrorCode, error: string, hint: string = ERROR_KINDS[code].hint): Refusal {
  return { error, try: hint, code };
}

/** A refusal read back into what was thrown; undefined when the body is none. */
export function errorFrom(body: unknown): WorkerError | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, code, try: hint } = body as Record<string, unknown>;
  if (typeof error !== 'string' || typeof code !== 'string' || !isCode(code)) return undefined;
  return new WorkerError(code, error, typeof hint === 'string' ? { hint } : {});
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_KINDS, code);
