// The private listener: loopback only, random port. Gateway and control share it, each with its own tokens.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

export interface PrivateServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Adds a part under `/prefix`. Until then its paths answer 404. */
  mount(prefix: string, handler: (request: Request) => Promise<Response> | Response): void;
  close(): Promise<void>;
}

/** Listens before anything is mounted: Claude Code needs the address at its start, the parts need Claude's. */
export async function startPrivateServer(): Promise<PrivateServer> {
  const parts = new Map<string, (request: Request) => Promise<Response> | Response>();
  const app = new Hono();
  app.use(async (context, next) => {
    // A page in a browser can reach loopback under a name of its own (DNS rebinding): only our names pass.
    const host = (context.req.header('host') ?? '').replace(/:\d+$/, '');
    if (host !== '127.0.0.1' && host !== 'localhost') return context.text('Unknown host.', 403);
    return next();
  });
  app.all('*', (context) => {
    const part = parts.get(context.req.path.split('/')[1] ?? '');
    return part ? part(context.req.raw) : context.text('Not found.', 404);
  });

  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening));
    listening.once('error', reject);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    mount: (prefix, handler) => void parts.set(prefix, handler),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
