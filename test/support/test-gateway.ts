// A stand-in for the gateway: one tool over MCP, open only to the tokens it has issued, and can be switched off.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestGateway {
  readonly name: string;
  readonly url: string;
  readonly issued: readonly string[];
  /** Issued and not revoked. */
  readonly valid: ReadonlySet<string>;
  /** Calls of the tool `send_dm`, in order. */
  readonly sends: readonly unknown[];
  /** While it is down every connection is cut. */
  down: boolean;
  issueToken(): string;
  revokeToken(token: string): void;
  close(): Promise<void>;
}

interface Rpc {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: unknown; readonly protocolVersion?: string };
}

export async function startTestGateway(name = 'inbox'): Promise<TestGateway> {
  const issued: string[] = [];
  const valid = new Set<string>();
  const sends: unknown[] = [];

  const answer = ({ method, params }: Rpc): object | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'test-gateway', version: '1' },
        };
      case 'tools/list': {
        const properties = { to: { type: 'string' }, message: { type: 'string' } };
        return {
          tools: [{ name: 'send_dm', description: 'Sends.', inputSchema: { type: 'object', properties } }],
        };
      }
      case 'tools/call':
        sends.push(params?.arguments);
        return { content: [{ type: 'text', text: 'sent' }] };
      default:
        return undefined;
    }
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    if (gateway.down) response.destroy();
    else if (!valid.has(token)) response.writeHead(401).end();
    else if (incoming.method !== 'POST') response.writeHead(405).end();
    else {
      const request: Rpc = JSON.parse(body);
      if (request.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result = answer(request);
      const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...outcome }));
    }
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gateway: TestGateway = {
    name,
    url: `http://127.0.0.1:${port}/mcp`,
    issued,
    valid,
    sends,
    down: false,
    issueToken: () => {
      const token = `gateway-token-${randomUUID()}`;
      issued.push(token);
      valid.add(token);
      return token;
    },
    revokeToken: (token) => void valid.delete(token),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gateway;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  return body;
}
