// The private listener: loopback only, any free port unless one is set, Host header checked. Each part answers with tokens of its own.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

type Part = (request: Request) => Promise<Response> | Response;

export interface PrivateServer {
  /** `http://127.0.0.1:PORT`, and `/NAME` where several agents share the port; without a slash at the end. */
  readonly url: string;
  /** Adds a part under `/prefix`. Until then its paths answer 404. */
  mount(prefix: string, part: Part): void;
  /** The same port for one of several: its parts lie under `/name` and see their paths without it. */
  under(name: string): PrivateServer;
  /** Takes the parts away, and frees the port unless it is shared. */
  close(): Promise<void>;
}

export interface PrivateServerWish {
  /** 0 or left out: any free one. */
  readonly port?: number;
  /** One sentence: the wished port could not be had, and another one was taken. */
  onOtherPort?(text: string): void;
}

/**
 * Listens before anything is mounted: Claude Code needs the address at its start, the parts need Claude's. A worker
 * whose port is taken must still answer its inbox, so any other port will do.
 */
export async function startPrivateServer(wish: PrivateServerWish = {}): Promise<PrivateServer> {
  const parts = new Parts();
  const app = new Hono();
  app.use(async (context, next) => {
    // A page in a browser can reach loopback under a name of its own (DNS rebinding): only our names pass.
    const host = (context.req.header('host') ?? '').replace(/:\d+$/, '');
    if (host !== '127.0.0.1' && host !== 'localhost') return context.text('Unknown host.', 403);
    return next();
  });
  app.all('*', (context) => parts.answer(context.req.raw));

  const { port: wished = 0 } = wish;
  const server = await listen(app, wished).catch((error: NodeJS.ErrnoException) => {
    if (wished === 0) throw error;
    return listen(app, 0).then((other) => {
      wish.onOtherPort?.(
        `control_port ${wished} ${FAULTS[error.code ?? ''] ?? `cannot be had (${error.code})`}, so port ${portOf(other)} is taken: whoever scrapes /metrics at ${wished} does not reach this worker.`,
      );
      return other;
    });
  });
  const free = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  return serverOf(parts, `http://127.0.0.1:${portOf(server)}`, free);
}

class Parts {
  readonly #byPrefix = new Map<string, Part>();

  set(prefix: string, part: Part): void {
    this.#byPrefix.set(prefix, part);
  }

  delete(prefix: string): void {
    this.#byPrefix.delete(prefix);
  }

  answer(request: Request): Promise<Response> | Response {
    const part = this.#byPrefix.get(new URL(request.url).pathname.split('/')[1] ?? '');
    return part ? part(request) : new Response('Not found.', { status: 404 });
  }
}

function serverOf(parts: Parts, url: string, close: () => Promise<void>): PrivateServer {
  return {
    url,
    mount: (prefix, part) => parts.set(prefix, part),
    under(name) {
      const own = new Parts();
      parts.set(name, (request) => own.answer(without(request, name)));
      return serverOf(own, `${url}/${name}`, async () => parts.delete(name));
    },
    close,
  };
}

/** The request as a part sees it that knows nothing of the name it lies under. */
function without(request: Request, name: string): Request {
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(name.length + 1) || '/';
  return new Request(url, request);
}

type Server = ReturnType<typeof serve>;

const FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'is one that only root may use',
};

function listen(app: Hono, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => resolve(listening));
    listening.once('error', reject);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
