// The gateway as a web-standard handler: method, token, then the MCP answer.
import type { Clock } from '../ports/clock.js';
import type { Turns } from '../ports/turns.js';
import { answerRequest } from './answer.js';

export interface GatewayOptions {
  /** Knows the tokens and the open claims. */
  readonly turns: Turns;
  /** As the server calls itself in `initialize`. */
  readonly name: string;
  readonly version: string;
  /** For the durations of `onCall`; default the process's monotonic clock. */
  readonly clock?: Pick<Clock, 'now'>;
  /** After each tool call: how long it took, in ms, and whether it was done. */
  onCall?(tool: string, ms: number, ok: boolean): void;
  /** A call failed inside; Claude got a sentence, this is the cause. */
  onError?(tool: string, error: unknown): void;
}

export interface Gateway {
  /** To be mounted on the private listener, which checks the Host header. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Refuses new requests with 503; resolves when those that run are answered. May be repeated. */
  close(): Promise<void>;
}

export function gatewayApp(options: GatewayOptions): Gateway {
  const { turns, name, version } = options;
  const clock = options.clock ?? performance;
  const listeners = {
    now: () => clock.now(),
    onCall: options.onCall?.bind(options),
    onError: options.onError?.bind(options),
  };
  const running = new Set<Promise<Response>>();
  let closed = false;

  const handle = async (request: Request): Promise<Response> => {
    // Nothing is ever said unasked, so there is no stream to stand open, and no session to delete.
    if (request.method !== 'POST') return plain(405, 'Only POST is answered here.', { allow: 'POST' });
    const token = bearerOf(request);
    const turn = token === undefined ? 'unknown' : turns.of(token);
    if (turn === 'unknown') return plain(401, 'This token is unknown or was revoked.');
    return answerRequest(request, turn, { name, version }, listeners);
  };

  return {
    fetch: async (request) => {
      if (closed) return plain(503, 'The worker is stopping.');
      const response = handle(request).catch((error) => {
        options.onError?.('request', error);
        return plain(500, 'The gateway failed; the worker logged why.');
      });
      running.add(response);
      try {
        return await response;
      } finally {
        running.delete(response);
      }
    },
    close: async () => {
      closed = true;
      await Promise.all(running);
    },
  };
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

function plain(status: number, sentence: string, headers: Record<string, string> = {}): Response {
  return new Response(`${sentence}\n`, { status, headers: { 'content-type': 'text/plain', ...headers } });
}
