// One connection to a wake stream, from the request to its end, with the reason why it ended.
import { EventSource } from 'eventsource';
import { deferred } from '../lib/deferred.js';
import type { Clock } from '../ports/clock.js';

export type StreamEnd =
  /** The server, or something between, closed it. */
  | { readonly kind: 'closed' }
  /** Not one byte for too long. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** HTTP 200, but no event stream. */
  | { readonly kind: 'foreign'; readonly contentType: string }
  /** We ended it. */
  | { readonly kind: 'stopped' };

export interface ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Time for the response's headers, ms. */
  readonly connectMs: number;
  /** Time without a byte (comments count), ms. */
  readonly silenceMs: number;
  onOpen(): void;
  /** At each piece that arrives: the server lives. */
  onBytes(): void;
  onWake(): void;
}

/** The event's name in AgentDM's documentation, and the one its own client listens to (no name at all). */
const WAKE_EVENTS = ['wake', 'message'];
/** No wake is this long: the parser keeps an unfinished line in memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Resolves when the connection is over and gone; never rejects. */
export async function followStream(options: ConnectionOptions, signal: AbortSignal): Promise<StreamEnd> {
  const { clock } = options;
  const ended = deferred<StreamEnd>();
  const over = new AbortController();
  const onStop = (): void => ended.resolve({ kind: 'stopped' });
  signal.addEventListener('abort', onStop, { once: true });
  if (signal.aborted) onStop();

  let opened = false;
  let lastByteAt = clock.now();
  const end = (reason: StreamEnd): DOMException => {
    ended.resolve(reason);
    // EventSource connects again by itself, at the server's pace, unless it is told that it was aborted. When to
    // try again is ours to say.
    return new DOMException('the wake stream ended', 'AbortError');
  };

  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const dueAt = lastByteAt + (opened ? options.silenceMs : options.connectMs);
      if (clock.now() >= dueAt) {
        const late = `no answer within ${Math.round(options.connectMs / 1000)} s`;
        ended.resolve(opened ? { kind: 'silent' } : { kind: 'unreachable', message: late });
        return;
      }
      await clock.sleepUntil(dueAt, over.signal);
    }
  };

  const source = new EventSource(options.url, {
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, headers: { ...options.headers, ...init.headers } }).catch(
        (error) => {
          throw end({ kind: 'unreachable', message: causeOf(error) });
        },
      );
      const refusal = refusalOf(response);
      if (refusal !== undefined || response.body === null) {
        await response.body?.cancel().catch(() => {});
        throw end(refusal ?? { kind: 'closed' });
      }
      opened = true;
      lastByteAt = clock.now();
      options.onOpen();
      const reader = response.body.getReader();
      let lineBytes = 0;
      const read = async () => {
        const piece = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
        if (piece.done) throw end({ kind: 'closed' });
        lastByteAt = clock.now();
        options.onBytes();
        const lastLf = piece.value.lastIndexOf(10);
        lineBytes = lastLf === -1 ? lineBytes + piece.value.length : piece.value.length - lastLf;
        if (lineBytes > MAX_LINE_BYTES) throw end({ kind: 'foreign', contentType: 'a line without end' });
        return piece;
      };
      const { status, redirected, headers } = response;
      const body = { getReader: () => ({ read, cancel: () => reader.cancel() }) };
      return { status, redirected, headers, url: response.url, body };
    },
  });
  for (const name of WAKE_EVENTS) source.addEventListener(name, () => options.onWake());

  const watching = watch();
  const reason = await ended.promise;
  signal.removeEventListener('abort', onStop);
  source.close();
  over.abort();
  await watching;
  return reason;
}

function refusalOf(response: Response): StreamEnd | undefined {
  if (response.status !== 200) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
    return { kind: 'refused', status: response.status, retryAfterMs };
  }
  const contentType = response.headers.get('content-type') ?? 'no content type';
  return contentType.startsWith('text/event-stream') ? undefined : { kind: 'foreign', contentType };
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
