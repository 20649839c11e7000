// Why a turn failed: by the structured fields of its result first, by its text last.
import type { TurnFailure } from '../domain/turn.js';
import { redact } from '../lib/redact.js';
import type { AssistantFrame, Frame, LimitFrame, ResultFrame } from './frames.js';

export interface Failure {
  readonly failure: TurnFailure;
  /** One line, at most 300 characters, without secrets. */
  readonly message: string;
  /** When it ends by itself, epoch ms. */
  readonly until?: number | undefined;
}

/** What the frames of a turn said before its result. */
export interface TurnSigns {
  /** The last word of Claude Code itself (model `<synthetic>`). */
  readonly notice?: AssistantFrame | undefined;
  /** The HTTP status of the last retry. */
  readonly retryStatus?: number | undefined;
}

/** Keeps the signs of one turn. */
export class SignCollector {
  #signs: TurnSigns = {};

  take(frame: Frame): void {
    if (frame.kind === 'assistant' && frame.frame.message.model === '<synthetic>') {
      this.#signs = { ...this.#signs, notice: frame.frame };
    }
    if (frame.kind === 'retry') this.#signs = { ...this.#signs, retryStatus: frame.frame.error_status };
  }

  get signs(): TurnSigns {
    return this.#signs;
  }
}

/** Remembers the subscription's limit over turns: Claude Code tells it only when it changes. */
export class LimitMemory {
  #rejectedUntil: number | undefined;

  take(frame: LimitFrame): void {
    const { status, resetsAt } = frame.rate_limit_info;
    // Seconds on the wire.
    this.#rejectedUntil = status === 'rejected' ? (resetsAt ?? 0) * 1000 : undefined;
  }

  /** When the limit that rejects now ends; undefined when none does, 0 when nobody said. */
  rejectedUntil(now: number): number | undefined {
    const until = this.#rejectedUntil;
    return until !== undefined && (until === 0 || until > now) ? until : undefined;
  }
}

/** Undefined when the turn succeeded. `rejectedUntil` is `LimitMemory.rejectedUntil`. */
export function classify(
  result: ResultFrame,
  signs: TurnSigns,
  rejectedUntil: number | undefined,
): Failure | undefined {
  if (result.subtype === 'success' && result.is_error !== true) return undefined;
  const text = finalText(result, signs);
  const message =
    redact(text.replace(/\s+/g, ' ').trim()).slice(0, 300) || `the turn ended as ${result.subtype}`;
  if (result.subtype === 'error_max_budget_usd') return { failure: 'over-budget', message };
  const failure =
    limitOf(result, signs, rejectedUntil) ??
    byStatus(result.api_error_status ?? signs.notice?.api_error_status, text, result) ??
    byName(result.api_error ?? signs.notice?.api_error, text) ??
    byName(signs.notice?.error, text) ??
    byText(text) ??
    byStatus(signs.retryStatus, text, result) ??
    'unknown';
  if (failure !== 'limited') return { failure, message };
  // 1.x and 2.0.0 wrote the reset into the text, in seconds.
  const written = Number(/\|(\d{10})\b/.exec(text)?.[1] ?? 0) * 1000;
  return { failure, message, until: rejectedUntil || written || undefined };
}

function limitOf(
  result: ResultFrame,
  signs: TurnSigns,
  rejectedUntil: number | undefined,
): TurnFailure | undefined {
  const named = result.api_error ?? signs.notice?.api_error;
  if (named === 'usage_limit_reached') return 'limited';
  const status = result.api_error_status ?? signs.notice?.api_error_status;
  const limited = status === 429 || (status === undefined && signs.notice?.error === 'rate_limit');
  return limited && rejectedUntil !== undefined ? 'limited' : undefined;
}

function byStatus(status: number | undefined, text: string, result: ResultFrame): TurnFailure | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 402) return 'credit-exhausted';
  if (status === 404) return 'model-unknown';
  if (status === 413 || result.terminal_reason === 'prompt_too_long') return 'context-too-long';
  if (status === 429) return 'rate-limited';
  if (status === 529) return 'overloaded';
  if (status >= 500) return 'server-error';
  // The API says "no credit" and "too long" with a plain 400: only the words tell them from a bad request.
  if (status >= 400) return wordsOf400(text) ?? 'request-invalid';
  return undefined;
}

function byName(name: string | undefined, text: string): TurnFailure | undefined {
  switch (name) {
    case 'authentication_failed':
      return 'unauthorised';
    case 'billing_error':
      return 'credit-exhausted';
    case 'rate_limit':
      return saysLimit(text) ? 'limited' : 'rate-limited';
    case 'overloaded':
      return 'overloaded';
    case 'model_not_found':
      return 'model-unknown';
    case 'connection_failed':
      return 'server-error';
    case 'server_error':
      return /\b529\b/.test(text) ? 'overloaded' : 'server-error';
    case 'invalid_request':
      return wordsOf400(text) ?? 'request-invalid';
    default:
      return undefined;
  }
}

function byText(text: string): TurnFailure | undefined {
  if (saysLimit(text)) return 'limited';
  const known = wordsOf400(text);
  if (known) return known;
  if (/not logged in|invalid api key|please run \/login|failed to authenticate/i.test(text))
    return 'unauthorised';
  if (/issue with the selected model/i.test(text)) return 'model-unknown';
  const status = /API Error: (?:Request rejected \()?(\d{3})\b/.exec(text)?.[1];
  if (status !== undefined) return byStatus(Number(status), text, { type: 'result' });
  if (/request timed out|connection (error|was lost)|unable to connect/i.test(text)) return 'server-error';
  return undefined;
}

const saysLimit = (text: string): boolean =>
  /usage limit reached|hit your .{0,30}limit|^limit reached ·|spending cap reached/i.test(text);

function wordsOf400(text: string): TurnFailure | undefined {
  if (/credit balance is too low/i.test(text)) return 'credit-exhausted';
  if (/prompt is too long/i.test(text)) return 'context-too-long';
  return undefined;
}

/** The final words of this turn and nothing before them: what tools have echoed is not about us. */
function finalText(result: ResultFrame, { notice }: TurnSigns): string {
  const said = notice?.message.content?.map((block) => block.text ?? '').join('\n');
  return (
    [result.result, said, result.errors?.join('; ')].find((text) => text !== undefined && text !== '') ?? ''
  );
}
