// The standing GET stream of a session: only where the inbox announces changes on it, and never in a tight loop.
import { setTimeout as sleep } from 'node:timers/promises';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface StandingStreamOptions {
  /** Asked at each opening: the inbox has said that it announces changes. */
  wanted(): boolean;
  /** Before the second opening; doubled before each further one, up to `mostMs`. */
  readonly firstMs?: number;
  readonly mostMs?: number;
  readonly fetch?: Fetch;
  /** For tests. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal ? { signal } : {});

/**
 * The SDK opens a stream that the server closes politely again after a second, for ever. Here the pause grows. What
 * is not wanted, and what the server does not have, is answered 405, after which the SDK lets it be.
 */
export function standingStreamFetch(options: StandingStreamOptions): Fetch {
  const { firstMs = 1_000, mostMs = 60_000, fetch: ask = fetch, pause = wait } = options;
  let pauseMs = 0;
  return async (url, init) => {
    const isGet = (init?.method ?? 'GET').toUpperCase() === 'GET';
    // A GET with Last-Event-ID takes up the answer to a call.
    if (!isGet || new Headers(init?.headers).has('last-event-id')) return ask(url, init);
    if (!options.wanted()) return new Response(null, { status: 405 });
    if (pauseMs > 0) await pause(pauseMs, init?.signal ?? undefined);
    pauseMs = Math.min(pauseMs === 0 ? firstMs : pauseMs * 2, mostMs);
    const response = await ask(url, init);
    if (response.ok || response.status >= 500) return response;
    await response.body?.cancel();
    return new Response(null, { status: 405 });
  };
}
