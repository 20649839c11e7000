// A hand-written MCP server over HTTP (JSON answers only): what Claude Code needs to call a tool, and no SDK.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallTool {
  readonly name: string;
  /** JSON Schema of the arguments' properties. */
  readonly properties: Readonly<Record<string, { readonly type: string }>>;
  call(input: Record<string, unknown>): object;
}

export interface SmallMcpServer {
  readonly url: string;
  /** Tool calls in order: name and arguments. */
  readonly calls: { readonly name: string; readonly input: Record<string, unknown> }[];
  /** Says this on every standing stream that is open. Without `streams`, there is none. */
  notify(method: string): void;
  close(): Promise<void>;
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { name?: string; arguments?: Record<string, unknown>; protocolVersion?: string };
}

export async function startSmallMcpServer(
  tools: readonly SmallTool[],
  options: { readonly streams?: boolean; onStream?(): void } = {},
): Promise<SmallMcpServer> {
  const streams = new Set<ServerResponse>();
  const calls: SmallMcpServer['calls'] = [];

  const answer = ({ method, params = {} }: RpcRequest): object => {
    if (method === 'initialize') {
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'small', version: '1' },
      };
    }
    if (method === 'tools/list') {
      return {
        tools: tools.map(({ name, properties }) => ({ name, inputSchema: { type: 'object', properties } })),
      };
    }
    if (method !== 'tools/call') return {};
    const { name = '', arguments: input = {} } = params;
    calls.push({ name, input });
    const result = tools.find((tool) => tool.name === name)?.call(input) ?? { error: `no tool ${name}` };
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  };

  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET' && options.streams) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      response.on('close', () => streams.delete(response));
      options.onStream?.();
      return;
    }
    if (incoming.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const request: RpcRequest = JSON.parse(await bodyOf(incoming));
    if (request.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    notify: (method) => {
      const event = JSON.stringify({ jsonrpc: '2.0', method, params: {} });
      for (const stream of streams) stream.write(`event: message\ndata: ${event}\n\n`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  return body;
}
