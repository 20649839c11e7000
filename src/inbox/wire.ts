// What one request sees of HTTP: the status, Retry-After, and an end that also ends its connection.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type StandingStreamOptions, standingStream } from './standing-stream.js';

/**
 * The HTTP side of one request. The SDK tells neither Retry-After, nor does it end the HTTP request of a call that
 * ran out of time: each would hang until the whole connection closes. So the fetch below looks for the request in
 * whose name it runs.
 */
export class Exchange {
  readonly #end = new AbortController();
  status: number | undefined;
  retryAfter: string | undefined;
  /** The server took the request, and its answer cannot come any more. */
  unanswered = false;

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Lets go of whatever of this request is still open. */
  end(): void {
    this.#end.abort();
  }
}

const current = new AsyncLocalStorage<Exchange>();

/** Runs `ask`; every POST it makes belongs to `exchange`. */
export function during<T>(exchange: Exchange, ask: () => Promise<T>): Promise<T> {
  return current.run(exchange, ask);
}

/** The exchange in whose name this code runs, if any. */
export const currentExchange = (): Exchange | undefined => current.getStore();

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The fetch for the SDK's transport. Without `standing` its GET is answered 405 on the spot: a stream that the server
 * closes politely would be opened again every second for ever. A GET with Last-Event-ID resumes the answer to a call
 * and goes through.
 */
export function wireFetch(standing: StandingStreamOptions | undefined): Fetch {
  return async (url, init) => {
    const method = (init?.method ?? 'GET').toUpperCase();
    const resumes = new Headers(init?.headers).has('last-event-id');
    if (method === 'GET' && !resumes) {
      if (!standing) return new Response(null, { status: 405 });
      return standingStream(() => fetch(url, init), init?.signal ?? new AbortController().signal, standing);
    }
    const exchange = method === 'POST' ? currentExchange() : undefined;
    if (!exchange) return fetch(url, init);
    exchange.status = undefined;
    const response = await fetch(url, { ...init, signal: exchange.signal });
    exchange.status = response.status;
    exchange.retryAfter = response.headers.get('retry-after') ?? undefined;
    return response;
  };
}
