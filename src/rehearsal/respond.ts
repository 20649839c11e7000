// Writes a reply to the wire: whole, streamed, as an error, or cut in the middle.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorFault, errorResponse } from './faults.js';
import { type ApiMessage, apiId } from './message.js';
import { type StreamEvent, sseFrame, streamEvents } from './sse.js';

/** How an answer goes out. `signal` ends the waiting when the caller is gone. */
export interface Delivery {
  readonly response: ServerResponse;
  readonly streamed: boolean;
  readonly chunkDelayMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': apiId('req'), ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(response: ServerResponse, fault: ErrorFault): number {
  const { status, headers, body } = errorResponse(fault, Date.now());
  sendJson(response, status, body, headers);
  return status;
}

/** The headers of a stream, and nothing behind them yet. */
export function openStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent) return;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': apiId('req'),
    ...headers,
  });
  response.flushHeaders();
}

/** Resolves when the whole message is handed to the socket. */
export async function sendMessage(message: ApiMessage, delivery: Delivery): Promise<void> {
  if (!delivery.streamed) {
    sendJson(delivery.response, 200, message, delivery.headers);
    return;
  }
  await writeEvents(streamEvents(message), delivery);
  delivery.response.end();
}

/** Sends the first half of the message and destroys the socket. */
export async function sendCut(message: ApiMessage, delivery: Delivery): Promise<void> {
  const { response } = delivery;
  if (delivery.streamed) {
    const events = streamEvents(message);
    await writeEvents(events.slice(0, Math.ceil(events.length / 2)), delivery);
  } else {
    const whole = Buffer.from(JSON.stringify(message));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2));
  }
  // The half must be out before the socket dies, or the caller sees no answer at all rather than a cut one.
  await new Promise<void>((resolve) => response.write('', () => resolve()));
  response.socket?.destroy();
}

async function writeEvents(events: readonly StreamEvent[], delivery: Delivery): Promise<void> {
  openStream(delivery.response, delivery.headers);
  for (const [index, event] of events.entries()) {
    if (index > 0 && delivery.chunkDelayMs > 0) {
      await sleep(delivery.chunkDelayMs, undefined, { signal: delivery.signal });
    }
    delivery.response.write(sseFrame(event));
  }
}
