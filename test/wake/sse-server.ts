// A server of event streams that does what a test tells it to: answers, writes, closes, or says nothing.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Caller {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Answers 200 as an event stream; with `text` its first bytes. */
  open(text?: string): void;
  refuse(status: number, headers?: Record<string, string>): void;
  /** Resolves when the connection of this caller is gone. */
  readonly gone: Promise<void>;
}

export interface SseServer {
  readonly port: number;
  readonly url: string;
  /** How many have called. */
  readonly calls: number;
  /** The next caller, in order; waits for one. */
  next(): Promise<Caller>;
  close(): Promise<void>;
}

export async function startSseServer(port = 0): Promise<SseServer> {
  const waiting: Caller[] = [];
  const takers: ((caller: Caller) => void)[] = [];
  let calls = 0;

  const server = createServer((request, response) => {
    calls += 1;
    const caller: Caller = {
      request,
      response,
      open: (text = ': open\n\n') => {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        response.write(text);
      },
      refuse: (status, headers = {}) => response.writeHead(status, headers).end('no'),
      gone: new Promise((resolve) => response.once('close', () => resolve())),
    };
    const taker = takers.shift();
    if (taker) taker(caller);
    else waiting.push(caller);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;

  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/api/agents/wake-stream`,
    get calls() {
      return calls;
    },
    next: () => {
      const caller = waiting.shift();
      return caller ? Promise.resolve(caller) : new Promise((resolve) => takers.push(resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
