// The MCP endpoint: from an authorised HTTP request to the session that answers it.
import { isInitializeRequest, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { readJsonBody } from './body.js';
import type { Log } from './log.js';
import { rpcError } from './rpc-error.js';
import type { Sessions } from './sessions.js';

const BODY_LIMIT = 1024 * 1024;

/**
 * For tests only. A hook may wait, to delay the call, or throw, and the call is answered with HTTP 500: `beforeCall`
 * before anything was done, `afterCall` when everything was done and the answer is lost.
 */
export type Faults = {
  beforeCall?: (alias: string, tool: string) => void | Promise<void>;
  afterCall?: (alias: string, tool: string) => void | Promise<void>;
};

type Parts = { sessions: Sessions; faults: Faults; log: Log };

/** `alias` is the owner of the request's key. GET is refused: the server has nothing to say unasked. */
export function createMcpEndpoint({ sessions, faults, log }: Parts) {
  async function handle(request: Request, alias: string): Promise<Response> {
    if (request.method === 'POST') return post(request, alias);
    if (request.method === 'DELETE') {
      const transport = sessions.find(request.headers.get('mcp-session-id') ?? '', alias);
      return transport ? transport.handleRequest(request) : unknownSession();
    }
    return rpcError(405, -32000, 'Only POST and DELETE are answered here.', {
      headers: { Allow: 'POST, DELETE' },
    });
  }

  async function post(request: Request, alias: string): Promise<Response> {
    const body = await readJsonBody(request, BODY_LIMIT);
    if (body.kind === 'too-large') return rpcError(413, -32000, `A request may have ${BODY_LIMIT} bytes.`);
    if (body.kind === 'malformed') return rpcError(400, -32700, 'The body is not JSON.');
    const transport = await transportFor(request, alias, body.value);
    if (transport instanceof Response) return transport;

    const tools = calledTools(body.value);
    try {
      for (const tool of tools) await faults.beforeCall?.(alias, tool);
      const response = await transport.handleRequest(request, { parsedBody: body.value });
      if (!faults.afterCall || tools.length === 0) return response;
      // The reply is a stream that ends when the tool is done.
      const reply = await response.arrayBuffer();
      for (const tool of tools) await faults.afterCall(alias, tool);
      return new Response(reply, response);
    } catch (error) {
      log('request-failed', { alias, tools, error: String(error) });
      return rpcError(500, -32603, 'The inbox failed; its log says why.');
    }
  }

  async function transportFor(request: Request, alias: string, body: unknown) {
    if (isInitializeRequest(body)) return sessions.create(alias);
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return sessions.find(id, alias) ?? unknownSession();
    // Clients of the stateless protocol ask this first, without a session, and fall back when told no.
    if (isJSONRPCRequest(body) && body.method === 'server/discover') {
      return rpcError(400, -32601, 'This server speaks the protocol with sessions: initialize first.', {
        id: body.id,
      });
    }
    return rpcError(400, -32000, 'The Mcp-Session-Id header is missing: initialize first.');
  }

  return handle;
}

function unknownSession(): Response {
  return rpcError(404, -32001, 'Session not found');
}

function calledTools(body: unknown): string[] {
  const requests = Array.isArray(body) ? body : [body];
  return requests.flatMap((request: unknown) => {
    if (!isJSONRPCRequest(request) || request.method !== 'tools/call') return [];
    return [String(request.params?.name)];
  });
}
