// Helpers for the tests of the embedded inbox: a running inbox, real MCP clients, temporary folders.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { type LocalInbox, type LocalInboxOptions, startLocalInbox } from '../../src/local-inbox/index.js';

export async function startInbox(options: Partial<LocalInboxOptions> = {}): Promise<LocalInbox> {
  const inbox = await startLocalInbox({ databasePath: ':memory:', ...options });
  onTestFinished(() => inbox.close());
  return inbox;
}

/** An inbox with the aliases @alice and @bob, and a client of each. */
export async function startPair(options: Partial<LocalInboxOptions> = {}) {
  const inbox = await startInbox(options);
  const alice = await connect(inbox, '@alice');
  const bob = await connect(inbox, '@bob');
  return { inbox, alice, bob };
}

/** The official SDK client, over HTTP, with the alias's key; the alias is created where it is missing. */
export async function connect(inbox: LocalInbox, alias: string): Promise<Caller> {
  return connectWith(inbox.url, inbox.ensureAlias(alias));
}

export async function connectWith(url: string, key: string): Promise<Caller> {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  return new Caller(client);
}

export class Caller {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  raw(name: string, args: Record<string, unknown> = {}) {
    return this.client.request(
      { method: 'tools/call', params: { name, arguments: args } },
      CallToolResultSchema,
    );
  }

  /** The text of the only content block. */
  async text(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content } = await this.raw(name, args);
    const [block] = content;
    if (content.length !== 1 || block?.type !== 'text') throw new Error('expected one text block');
    return block.text;
  }

  /** The JSON in it. The caller names the type it expects; the assertions check it. */
  async json<T>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    return JSON.parse(await this.text(name, args));
  }

  /** The code of a refusal; fails when the call succeeds. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.raw(name, args);
    const [block] = result.content;
    if (result.isError !== true || block?.type !== 'text') throw new Error(`${name} was not refused`);
    return JSON.parse(block.text).error.code;
  }

  async tools(): Promise<string[]> {
    const { tools } = await this.client.listTools();
    return tools.map((tool) => tool.name);
  }
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-inbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A POST as a client without an SDK would make it. */
export function rawPost(
  url: string,
  key: string,
  body: unknown = INITIALIZE,
  headers: Record<string, string> = {},
) {
  return fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      Authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}
