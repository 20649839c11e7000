// The HTTP server: routes, and what is checked before any of them.
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerKey, isLoopback, namesLoopback } from './guard.js';
import type { Log } from './log.js';
import { rpcError, unauthorised } from './rpc-error.js';

export const MCP_PATH = '/mcp/v1/grid';
export const WAKE_PATH = '/api/agents/wake-stream';

// Long enough for an answer that is written already, too short to be felt.
const GRACE_MS = 300;

type Parts = {
  host: string;
  /** 0 takes a free one. */
  port: number;
  aliasOfKey: (key: string) => string | undefined;
  mcp: (request: Request, alias: string) => Promise<Response>;
  wakeStream: (alias: string) => Response;
  log: Log;
};

type Listening = { port: number /** `http://host:port` */; origin: string; close(): Promise<void> };

/** Resolves when the port is open. Rejects with a sentence when it cannot be had. */
export async function listen(parts: Parts): Promise<Listening> {
  const { host, port } = parts;
  const server = createAdaptorServer({ fetch: routes(parts).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Error(`The inbox cannot listen on ${host} port ${port} (${error.code ?? error.message}).`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    origin: `http://${reachable(host)}:${taken}`,
    close: () => closeServer(server),
  };
}

/** Lets replies that end now reach their clients, then cuts what is left. */
function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    // Node closes the connections that are idle now, not those that become so a moment later.
    const idle = setInterval(() => 'closeIdleConnections' in server && server.closeIdleConnections(), 10);
    const all = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(all);
      resolve();
    });
  });
}

function routes({ host, aliasOfKey, mcp, wakeStream, log }: Parts): Hono<{ Variables: { alias: string } }> {
  const app = new Hono<{ Variables: { alias: string } }>();
  const checkHost = isLoopback(host);
  app.use(async (c, next) => {
    if (checkHost && !namesLoopback(c.req.raw.headers)) {
      return rpcError(403, -32000, 'This server answers only to requests that name this machine.');
    }
    return next();
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.use(async (c, next) => {
    const key = bearerKey(c.req.raw.headers);
    const alias = key && aliasOfKey(key);
    if (!alias) {
      log('unauthorised', { path: c.req.path });
      return unauthorised();
    }
    c.set('alias', alias);
    return next();
  });
  app.all(MCP_PATH, (c) => mcp(c.req.raw, c.get('alias')));
  app.get(WAKE_PATH, (c) => wakeStream(c.get('alias')));
  app.notFound(() => rpcError(404, -32000, `There is nothing here: the inbox is at ${MCP_PATH}.`));
  app.onError((error) => {
    log('request-failed', { error: String(error) });
    return rpcError(500, -32603, 'The inbox failed; its log says why.');
  });
  return app;
}

/** An address that a client on this machine can use, in the form a URL takes. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
