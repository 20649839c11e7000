// A tool's error: its code, its sentence, and what it means for a look and for a send.
import type { LookOutcome, SendOutcome } from '../ports/upstream.js';
import { isFields, pick, pickText } from './fields.js';
import { comeBackAt, instantOf } from './instants.js';
import type { Scrub } from './secrets.js';

export interface ToolError {
  readonly code: string | undefined;
  /** The server's words; not yet fit for a log. */
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  readonly resetAt: number | undefined;
}

/** Shapes: `{"error": {"code", "message"}}`, `{"error": "code", "message"}`, `{"code", "message"}`, a sentence. */
export function readToolError(value: unknown): ToolError {
  if (typeof value === 'string')
    return { code: codeInSentence(value), text: value, retryAfterMs: undefined, resetAt: undefined };
  const outer = isFields(value) ? value : {};
  const inner = isFields(outer.error) ? outer.error : outer;
  const word = typeof outer.error === 'string' ? outer.error : undefined;
  const code = pickText(inner, ['code', 'error_code', 'errorCode', 'type']) ?? word;
  const text =
    pickText(inner, ['message', 'detail', 'details', 'description', 'reason', 'error']) ?? word ?? '';
  const fields = { ...outer, ...inner };
  const seconds = Number(
    pick(fields, ['retry_after', 'retryAfter', 'retry_after_seconds', 'retryAfterSeconds']),
  );
  const millis = Number(pick(fields, ['retry_after_ms', 'retryAfterMs']));
  return {
    code: normalCode(code) ?? codeInSentence(text),
    text,
    retryAfterMs: Number.isFinite(millis) ? millis : Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    resetAt: instantOf(
      pick(fields, ['reset_at', 'resetAt', 'resets_at', 'resetsAt', 'retry_at', 'retryAt', 'until']),
    ),
  };
}

type Meaning =
  | 'unauthorised'
  /** Wait: the call was not taken. */
  | 'wait'
  /** The server has trouble, and says that it did not take the call. */
  | 'unavailable'
  /** The server failed in the middle: it may have taken the call. */
  | 'failed'
  | 'refused';

const TABLE: Readonly<Record<string, Meaning>> = {
  invalid_api_key: 'unauthorised',
  missing_api_key: 'unauthorised',
  unauthorized: 'unauthorised',
  unauthorised: 'unauthorised',
  unauthenticated: 'unauthorised',
  invalid_token: 'unauthorised',
  token_expired: 'unauthorised',
  rate_limit_exceeded: 'wait',
  rate_limited: 'wait',
  too_many_requests: 'wait',
  quota_exceeded: 'wait',
  // Somebody has to pay first; a reply must not be lost meanwhile.
  trial_expired: 'wait',
  service_unavailable: 'unavailable',
  unavailable: 'unavailable',
  overloaded: 'unavailable',
  internal_error: 'failed',
  internal_server_error: 'failed',
  timeout: 'failed',
  // Known to AgentDM; here so that the list is whole, though an unknown code means the same.
  alias_not_found: 'refused',
  recipient_not_found: 'refused',
  channel_not_found: 'refused',
  not_accessible: 'refused',
  not_channel_member: 'refused',
  self_message: 'refused',
  message_too_long: 'refused',
};
// Codes are foreign words: `constructor` must not find anything.
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(Object.entries(TABLE));

export function lookOutcomeOf(error: ToolError, tool: string, now: number, scrub: Scrub): LookOutcome {
  const message = sentence(error, tool, scrub);
  switch (meaningOf(error)) {
    case 'unauthorised':
      return { kind: 'unauthorised', message };
    case 'wait':
      return { kind: 'rate-limited', message, until: untilOf(error, now) };
    case 'unavailable':
    case 'failed':
      return { kind: 'down', message };
    case 'refused':
      return { kind: 'unrecognised', message };
  }
}

/** A clear error is a clear no: an unknown code is `refused`, with the server's sentence. */
export function sendOutcomeOf(error: ToolError, tool: string, now: number, scrub: Scrub): SendOutcome {
  const message = sentence(error, tool, scrub);
  switch (meaningOf(error)) {
    case 'unauthorised':
      return { kind: 'unauthorised', message };
    case 'wait':
    case 'unavailable':
      return { kind: 'later', message, until: untilOf(error, now) };
    case 'failed':
      return { kind: 'unsure', message };
    case 'refused':
      return { kind: 'refused', message };
  }
}

function meaningOf(error: ToolError): Meaning {
  return MEANINGS.get(error.code ?? '') ?? 'refused';
}

function untilOf(error: ToolError, now: number): number | undefined {
  return comeBackAt(error.retryAfterMs === undefined ? error.resetAt : now + error.retryAfterMs, now);
}

function sentence(error: ToolError, tool: string, scrub: Scrub): string {
  const code = error.code === undefined ? '' : ` (${scrub(error.code, 40)})`;
  const text = scrub(error.text, 160);
  return `The inbox refused ${tool}${code}${text === '' ? '' : `: ${text}`}`;
}

/** `RATE_LIMIT_EXCEEDED` and `rate-limit-exceeded` are one code. */
function normalCode(code: string | undefined): string | undefined {
  return code
    ?.trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** A known code that stands in a sentence: `Error: rate_limit_exceeded`. */
function codeInSentence(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z]+(?:_[a-z]+)+/g) ?? [];
  return words.find((word) => MEANINGS.has(word));
}
