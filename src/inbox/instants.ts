// Instants as servers write them: ISO dates, epoch seconds or milliseconds, Retry-After.

const HAS_TIME_WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const DIGITS = /^\d+(\.\d+)?$/;
/** 1990 to 2200: what lies outside is not an instant of a message. */
const EARLIEST = 631_152_000_000;
const LATEST = 7_258_118_400_000;

/** Epoch ms, or undefined where `value` is no instant. A time without a zone is UTC. */
export function instantOf(value: unknown): number | undefined {
  const at =
    typeof value === 'number' ? fromNumber(value) : typeof value === 'string' ? fromText(value) : undefined;
  return at !== undefined && at >= EARLIEST && at <= LATEST ? Math.round(at) : undefined;
}

/** Seconds, milliseconds, microseconds or nanoseconds, told apart by their size. */
function fromNumber(value: number): number {
  if (value < 1e11) return value * 1_000;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1_000 : value / 1_000_000;
}

function fromText(value: string): number | undefined {
  const text = value.trim();
  if (DIGITS.test(text)) return fromNumber(Number(text));
  const at = Date.parse(HAS_TIME_WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(at) ? undefined : at;
}

const DAY_MS = 86_400_000;

/** The header `Retry-After` (seconds or a date) as epoch ms. */
export function retryAfterAt(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  return comeBackAt(DIGITS.test(text) ? now + Number(text) * 1_000 : Date.parse(text), now);
}

/** An instant to come back at: never past, and never so far away that a slip of the server makes us deaf for weeks. */
export function comeBackAt(at: number | undefined, now: number): number | undefined {
  if (at === undefined || Number.isNaN(at)) return undefined;
  return Math.min(Math.max(at, now), now + DAY_MS);
}
