// A small hand-written MCP server over HTTP whose every answer a test can replace; it logs what it was asked.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Rpc {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface FakeTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  call(args: Record<string, unknown>): unknown;
}

export interface FakeServer {
  readonly url: string;
  /** `initialize`, `tools/list`, `call NAME`, `DELETE`, `GET`, … in the order of arrival. */
  readonly log: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly sessions: Set<string>;
  readonly openConnections: () => number;
  tools: FakeTool[];
  /** Answers a request itself and says so by returning true. */
  intercept: (rpc: Rpc, response: ServerResponse, request: IncomingMessage) => boolean;
  close(): Promise<void>;
}

export interface FakeOptions {
  readonly tools?: FakeTool[];
  readonly reply?: 'json' | 'sse';
  readonly stateful?: boolean;
  /** What an unknown session is answered with. */
  readonly unknownSession?: 404 | 400;
  readonly port?: number;
}

export const textResult = (value: unknown, isError = false): object => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  ...(isError && { isError }),
});

/** A result to be passed on as it is. */
export const isResult = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('content' in value || 'structuredContent' in value);

export const rpcBody = (id: unknown, result: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result });

export async function startFakeServer(options: FakeOptions = {}): Promise<FakeServer> {
  const { reply = 'json', stateful = true, unknownSession = 404 } = options;
  const sockets = new Set<unknown>();
  const http = createServer((request, response) => void serve(request, response));
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  const server: FakeServer = {
    url: '',
    log: [],
    headers: [],
    sessions: new Set(),
    openConnections: () => sockets.size,
    tools: options.tools ?? [],
    intercept: () => false,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  function resultOf({ method, params = {} }: Rpc): unknown {
    if (method === 'initialize') {
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1' },
      };
    }
    if (method === 'tools/list') return { tools: server.tools.map(({ call: _, ...tool }) => tool) };
    const tool = server.tools.find(({ name }) => name === params.name);
    const answer = tool?.call((params.arguments ?? {}) as Record<string, unknown>);
    if (!tool) return textResult(`Unknown tool ${String(params.name)}`, true);
    return isResult(answer) ? answer : textResult(answer);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    server.headers.push(request.headers);
    const session = request.headers['mcp-session-id'];
    if (request.method !== 'POST') {
      server.log.push(String(request.method));
      if (request.method === 'DELETE' && typeof session === 'string') server.sessions.delete(session);
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const rpc: Rpc = JSON.parse(body);
    server.log.push(rpc.method === 'tools/call' ? `call ${String(rpc.params?.name)}` : rpc.method);
    if (server.intercept(rpc, response, request)) return;
    if (stateful && rpc.method !== 'initialize' && !server.sessions.has(String(session))) {
      response.writeHead(unknownSession, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }),
      );
      return;
    }
    if (rpc.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (stateful && rpc.method === 'initialize') {
      const id = randomUUID();
      server.sessions.add(id);
      response.setHeader('mcp-session-id', id);
    }
    const answer = rpcBody(rpc.id, resultOf(rpc));
    response.writeHead(200, { 'content-type': reply === 'sse' ? 'text/event-stream' : 'application/json' });
    response.end(reply === 'sse' ? `event: message\ndata: ${answer}\n\n` : answer);
  }

  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve));
  Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` });
  onTestFinished(() => server.close());
  return server;
}
