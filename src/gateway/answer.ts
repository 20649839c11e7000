// Answers one authorised HTTP request with a server of its own: stateless, JSON.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { OpenTurn } from '../ports/turns.js';
import { type CallListeners, callTool } from './call.js';
import { TOOLS } from './tools.js';

// One for all servers: making it anew is 40 % of the work of a stateless call.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * There is no session to lose: a call made just after a restart of the worker, with a token that is known, works.
 * Unknown methods, `server/discover` among them, are answered -32601 by the SDK.
 */
export async function answerRequest(
  request: Request,
  turn: OpenTurn | 'closed',
  info: { name: string; version: string },
  listeners: CallListeners,
): Promise<Response> {
  const server = new Server(info, { capabilities: { tools: {} }, jsonSchemaValidator });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(({ entry }) => entry) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(turn, params.name, params.arguments, listeners),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request);
  } finally {
    await server.close();
  }
}
