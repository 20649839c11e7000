// Which inbox this is, whatever folder it is served from: the name of its state folder and of its lease.
import { createHash } from 'node:crypto';
import { isLoopback, type McpServer } from './mcp-entry.js';

/** Enough of a sha256 that two inboxes never meet by chance, and short enough for a folder's name. */
const HEX_CHARS = 32;

/**
 * Without `inboxId`: 32 hex characters of sha256 over the normalised endpoint and the key, so that two folders with
 * one key meet at one lease and the key cannot be read from it. With `inboxId`: that name itself.
 */
export function inboxIdentity(endpoint: string, key: string | undefined, inboxId?: string): string {
  if (inboxId !== undefined) return inboxId;
  const text = JSON.stringify([normaliseEndpoint(endpoint), key ?? '']);
  return createHash('sha256').update(text).digest('hex').slice(0, HEX_CHARS);
}

/** What a server is told apart by, before normalising: its address, or its command line. */
export function endpointOf(server: McpServer): string {
  return server.type === 'http' ? server.url : `stdio:${JSON.stringify([server.command, ...server.args])}`;
}

/**
 * One spelling for one endpoint: lower-case host, no default port, no fragment, no slash at the end, and one name for
 * loopback. The query stays: some servers keep the account there. What is no address stays as it is.
 */
export function normaliseEndpoint(endpoint: string): string {
  if (!/^https?:/i.test(endpoint) || !URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (isLoopback(endpoint)) url.hostname = 'localhost';
  return url.href;
}

/**
 * The key that tells accounts apart: the bearer token, else the whole Authorization header, else any header that
 * is named like a key; for a program the variables it is given. Undefined where there is none.
 */
export function keyOf(server: McpServer): string | undefined {
  if (server.type === 'stdio') {
    const variables = Object.entries(server.env).sort(([a], [b]) => (a < b ? -1 : 1));
    return variables.length === 0 ? undefined : JSON.stringify(variables);
  }
  const headers = Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const authorization = headers.find(([name]) => name === 'authorization')?.[1];
  if (authorization !== undefined) return authorization.replace(/^bearer\s+/i, '');
  return headers.find(([name]) => /key|token|secret/.test(name))?.[1];
}
