// Short answers, and how to close a connection so that the answer is heard.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long, and how much, of an unwanted body is read and dropped before the connection is cut. */
const LINGER_MS = 1000;
const LINGER_BYTES = 1024 * 1024;

export function say(response: ServerResponse, status: number, sentence: string): void {
  begin(response, status, sentence);
  response.end();
}

/** For programs that ask again and again: never kept by anybody in between. */
export function sayJson(response: ServerResponse, status: number, value: object): void {
  response.setHeader('cache-control', 'no-store');
  begin(response, status, JSON.stringify(value), 'application/json');
  response.end();
}

/**
 * Answers and closes the connection. With `bodyComes` the rest of the body is read and dropped for a moment first:
 * closing with unread bytes in the socket makes the system send a reset, which may overtake the answer.
 */
export function sayAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { readonly status: number; readonly sentence: string },
  bodyComes: boolean,
): void {
  response.setHeader('connection', 'close');
  begin(response, answer.status, answer.sentence);
  if (!bodyComes || request.readableEnded || request.destroyed) {
    response.end();
    return;
  }
  let dropped = 0;
  let over = false;
  const close = (): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) close();
  });
  request.once('end', close);
  request.once('close', close);
}

/** The whole answer is out after this; only the end of the response is missing. */
function begin(response: ServerResponse, status: number, sentence: string, type = 'text/plain'): void {
  const body = `${sentence}\n`;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.write(body);
}
