// The standing stream of a session as one that never ends: what the server closes is opened again, at our own pace.

export interface StandingStreamOptions {
  now(): number;
  /** Resolves after so long, or when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** It was open, was cut, and is open again, or refused: what was announced in between nobody heard. */
  onGap(): void;
  /** The server has no such stream. */
  onUnavailable(status: number): void;
}

type Open = () => Promise<Response>;

export const FIRST_WAIT_MS = 1_000;
export const MOST_WAIT_MS = 300_000;
/** Open for so long, it is no server that closes at once: the waits begin anew. */
export const STEADY_MS = 30_000;
/** Ends an event that was cut off, so that the next one is not read as its rest. */
const EVENT_END = new TextEncoder().encode('\n\n');

/**
 * The SDK's own way is to open a stream that the server closed politely again after a second, for ever, and to give
 * up after two failures. So it gets one stream that we fill. A server without one answers 405, and is left alone.
 */
export async function standingStream(
  open: Open,
  signal: AbortSignal,
  options: StandingStreamOptions,
): Promise<Response> {
  const first = await open().catch(() => undefined);
  if (first && isRefusal(first)) {
    await first.body?.cancel();
    options.onUnavailable(first.status);
    return new Response(null, { status: 405 });
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const stop = (): void => controller.error(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else void pump(controller, first, open, signal, options);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** Never rejects. Over when `signal` aborts, or when the server has no such stream any more. */
async function pump(
  controller: ReadableStreamDefaultController<Uint8Array>,
  first: Response | undefined,
  open: Open,
  signal: AbortSignal,
  options: StandingStreamOptions,
): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  for (let response = first; ; response = await open().catch(() => undefined)) {
    if (signal.aborted) return;
    if (response && response !== first && (response.ok || isRefusal(response))) options.onGap();
    if (response?.ok) {
      const openedAt = options.now();
      await copy(response, controller, signal);
      if (options.now() - openedAt >= STEADY_MS) waitMs = FIRST_WAIT_MS;
    } else await response?.body?.cancel();
    // The session may be gone: the look that the gap causes begins a new one, with a stream of its own.
    if (response && isRefusal(response)) return;
    await options.sleep(waitMs, signal);
    if (signal.aborted) return;
    waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
  }
}

async function copy(
  response: Response,
  controller: ReadableStreamDefaultController<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read().catch(() => undefined);
    if (signal.aborted || !piece || piece.done) break;
    controller.enqueue(piece.value);
  }
  if (!signal.aborted) controller.enqueue(EVENT_END);
}

/** Asking again will not help; 408, 425 and 429 say "later". */
export function isRefusal({ status }: { readonly status: number }): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}
