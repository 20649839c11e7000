// What ails a wake stream: the kind of trouble, how long to wait, and one sentence at each of its edges.
import { retryDelayMs } from '../domain/retry.js';
import type { StreamEnd } from './stream-connection.js';

/** `down` passes by itself; the others wait for somebody to do something. */
export type Trouble = 'unauthorised' | 'absent' | 'down' | 'unsteady';

/** Ends in a row, without a steady time between, that make a stream unsteady: one or two are an everyday thing. */
const UNSTEADY_AFTER = 3;

/** @param failures ends so far without a steady connection, this one included */
export function troubleOf(end: StreamEnd, failures: number): Trouble | undefined {
  switch (end.kind) {
    case 'stopped':
      return undefined;
    case 'unreachable':
      return 'down';
    case 'foreign':
      return 'absent';
    case 'refused':
      if (end.status === 401 || end.status === 403) return 'unauthorised';
      return end.status >= 500 || [408, 425, 429].includes(end.status) ? 'down' : 'absent';
    case 'closed':
    case 'silent':
      return failures >= UNSTEADY_AFTER ? 'unsteady' : undefined;
  }
}

const BACKOFF = { baseMs: 1000, maxMs: 30_000 };
/** However long a server asks us to wait, once an hour is not too much. */
const LONGEST_MS = 3_600_000;

/** 1 s × 2ⁿ up to 30 s, or what the server asked for; `probeMs` where trying often is useless. Jittered. */
export function waitMs(
  end: StreamEnd,
  failures: number,
  options: { readonly probeMs: number; readonly random: number },
): number {
  const trouble = troubleOf(end, failures);
  if (trouble === 'unauthorised' || trouble === 'absent') {
    return retryDelayMs(1, { baseMs: options.probeMs, maxMs: options.probeMs }, options.random);
  }
  const delay = retryDelayMs(failures, BACKOFF, options.random);
  const asked = end.kind === 'refused' ? (end.retryAfterMs ?? 0) : 0;
  return Math.max(delay, Math.min(asked, LONGEST_MS));
}

/** The sentence at the beginning of a trouble. `where` holds no secret. */
export function complaint(trouble: Trouble, end: StreamEnd, where: string, probeMs: number): string {
  const still = 'The inbox is still polled';
  const probe = `${still}; the stream is tried again every ${Math.round(probeMs / 1000)} s.`;
  if (trouble === 'unauthorised')
    return `The wake stream ${where} refuses the key (${detail(end)}). ${probe}`;
  if (trouble === 'absent') return `There is no wake stream at ${where} (${detail(end)}). ${probe}`;
  if (trouble === 'down') return `The wake stream ${where} is down (${detail(end)}). ${still}.`;
  return `The wake stream ${where} ends again and again soon after it opened (${detail(end)}). ${still}.`;
}

function detail(end: StreamEnd): string {
  switch (end.kind) {
    case 'refused':
      return `HTTP ${end.status}`;
    case 'unreachable':
      return end.message;
    case 'foreign':
      return end.contentType;
    case 'closed':
      return 'closed by the server';
    case 'silent':
      return 'no sign of life';
    case 'stopped':
      return 'stopped';
  }
}
