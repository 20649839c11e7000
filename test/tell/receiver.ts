// A receiver of signed webhooks over real HTTP, as somebody else would write one.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { Feed } from '../support/agent-lab.js';

export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body, when the signature holds. */
  verify(secret: string): { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface Receiver {
  readonly url: string;
  readonly posts: Feed<Received>;
}

/** @param answers the status of each post, or where it is sent on; then 204 */
export async function receiver(...answers: (number | string)[]): Promise<Receiver> {
  const posts = new Feed<Received>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { headers } = request;
    const answer = answers.shift() ?? 204;
    if (typeof answer === 'string') response.writeHead(307, { location: answer }).end();
    else response.writeHead(answer).end('never mind');
    posts.add({
      id: String(headers['webhook-id']),
      headers,
      body,
      verify: (secret) => new Webhook(secret).verify(body, headers as Record<string, string>) as never,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, posts };
}
