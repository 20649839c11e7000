// A real inbox that speaks MCP 2026-07-28 and nothing older, built with the SDK's server, with both vocabularies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, type ServerNotifier } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface ModernRpc {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface SentMail {
  readonly tool: string;
  readonly to: string;
  readonly message: string;
  readonly [argument: string]: unknown;
}

export interface ModernInbox {
  readonly url: string;
  /** `server/discover`, `tools/list`, `call list_dms`, …, in the order of arrival; what is no POST by its HTTP method. */
  readonly log: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly sent: SentMail[];
  /** Tells its listeners of changes. */
  readonly notify: ServerNotifier;
  arrive(from: string, text: string): string;
  /** Answers a request itself and says so by returning true. */
  intercept: (rpc: ModernRpc, response: ServerResponse, request: IncomingMessage) => boolean;
  close(): Promise<void>;
}

export interface ModernOptions {
  readonly vocabularies?: readonly ('dms' | 'agentdm')[];
  /** `json` (default) or `sse` for the answers to calls. */
  readonly reply?: 'json' | 'sse';
  /** Asked of every request. */
  readonly key?: string;
  readonly port?: number;
  /** `stateless`: takes the old protocol, too. */
  readonly legacy?: 'reject' | 'stateless';
  /** Has a resource `inbox://agent` whose changes it tells of. */
  readonly announces?: boolean;
  onSent?(mail: SentMail): void;
  /** A subscription stands: what changes from now on is told. */
  onListening?(): void;
  /** More tools, or stranger ones. */
  extend?(server: McpServer): void;
}

interface Mail {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  read: boolean;
}

const say = (value: unknown, isError = false) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
  ...(isError && { isError }),
});

export async function startModernInbox(options: ModernOptions = {}): Promise<ModernInbox> {
  const { vocabularies = ['dms', 'agentdm'], reply = 'json', legacy = 'reject', announces = false } = options;
  const mail: Mail[] = [];
  const sent: SentMail[] = [];
  const unread = (): Mail[] => mail.filter((message) => !message.read);

  function send(tool: string, args: { to: string; message: string }) {
    if (args.to === '@nobody') return say('Recipient not found: @nobody', true);
    const repeated =
      'idempotency_key' in args ? sent.findIndex((one) => one.idempotency_key === args.idempotency_key) : -1;
    if (repeated >= 0) return say({ message_id: `s${repeated + 1}` });
    sent.push({ tool, ...args });
    options.onSent?.({ tool, ...args });
    return say({ message_id: `s${sent.length}` });
  }

  function dms(server: McpServer): void {
    const to = z.string();
    server.registerTool('list_dms', { inputSchema: z.object({}) }, () => {
      const counts = new Map<string, number>();
      for (const { from } of unread()) counts.set(from, (counts.get(from) ?? 0) + 1);
      return say({ dms: [...counts].map(([name, count]) => ({ with: name, unread: count })) });
    });
    const read = z.object({ with: z.string(), mark_read: z.boolean().optional() });
    server.registerTool('read_dm', { inputSchema: read }, (args) => {
      const found = unread().filter((message) => message.from === args.with);
      if (args.mark_read !== false) for (const message of found) message.read = true;
      return say({ messages: found.map(({ id, from, text }) => ({ id, from, text })) });
    });
    server.registerTool('ack_dm', { inputSchema: z.object({ ids: z.array(z.string()) }) }, ({ ids }) => {
      for (const message of mail) if (ids.includes(message.id)) message.read = true;
      return say({ acknowledged: ids });
    });
    const out = z.object({
      to,
      message: z.string(),
      reply_to: z.string().optional(),
      idempotency_key: z.string().optional(),
    });
    server.registerTool('send_dm', { inputSchema: out }, (args) => send('send_dm', args));
  }

  function agentdm(server: McpServer): void {
    server.registerTool('read_messages', { inputSchema: z.object({}) }, () => {
      const [message] = unread();
      if (!message) return say('No new messages.');
      message.read = true;
      const { id, from, text } = message;
      return say({ message_id: id, channel: 'direct', user: from, type: 'agent', message: text });
    });
    const out = z.object({
      to: z.string(),
      message: z.string(),
      reply_to_message_id: z.string().optional(),
    });
    server.registerTool('send_message', { inputSchema: out }, (args) => send('send_message', args));
    server.registerTool('list_channels', { inputSchema: z.object({}) }, () => say({ channels: [] }));
  }

  const handler = createMcpHandler(
    () => {
      const capabilities = {
        tools: {},
        ...(announces && { resources: { listChanged: true, subscribe: true } }),
      };
      const server = new McpServer({ name: 'modern-inbox', version: '1' }, { capabilities });
      if (vocabularies.includes('dms')) dms(server);
      if (vocabularies.includes('agentdm')) agentdm(server);
      if (announces) {
        server.registerResource('inbox', 'inbox://agent', {}, () => ({ contents: [] }));
      }
      options.extend?.(server);
      return server;
    },
    { legacy, ...(reply === 'sse' && { responseMode: 'sse' as const }) },
  );
  const serve = toNodeHandler(handler);

  const inbox: ModernInbox = {
    url: '',
    log: [],
    headers: [],
    sent,
    notify: handler.notify,
    arrive(from, text) {
      const id = `m${mail.length + 1}`;
      mail.push({ id, from, text, read: false });
      return id;
    },
    intercept: () => false,
    async close() {
      await handler.close();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };

  const http = createServer(async (request, response) => {
    inbox.headers.push(request.headers);
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
      response.writeHead(401).end();
      return;
    }
    if (request.method !== 'POST') {
      inbox.log.push(String(request.method));
      await serve(request, response);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const rpc: ModernRpc = JSON.parse(body);
    inbox.log.push(rpc.method === 'tools/call' ? `call ${String(rpc.params?.name)}` : rpc.method);
    if (inbox.intercept(rpc, response, request)) return;
    if (rpc.method === 'subscriptions/listen') onFirstWrite(response, () => options.onListening?.());
    await serve(request, response, rpc);
  });
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve));
  return Object.assign(inbox, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` });
}

/** The acknowledgement is the first thing that is written. */
function onFirstWrite(response: ServerResponse, then: () => void): void {
  const write = response.write.bind(response) as (chunk: unknown) => boolean;
  response.write = (chunk: unknown) => {
    response.write = write;
    then();
    return write(chunk);
  };
}
