// A proxy before an inbox that can swallow a call: the worker asked, and hears no answer.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ForgetfulProxy {
  readonly url: string;
  /** The next request whose body fits is cut off instead of being passed on. */
  swallow(fits: RegExp): void;
  close(): Promise<void>;
}

/** @param target the inbox's own url; the path stays the same */
export async function startForgetfulProxy(target: string): Promise<ForgetfulProxy> {
  const behind = new URL(target);
  let swallowed: RegExp | undefined;
  const server = createServer(async (incoming, answer) => {
    const body = await buffer(incoming);
    if (swallowed?.test(body.toString('utf8'))) {
      swallowed = undefined;
      incoming.socket.destroy();
      return;
    }
    const headers = { ...incoming.headers, host: behind.host };
    const onward = request(
      { host: behind.hostname, port: behind.port, method: incoming.method, path: incoming.url, headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${behind.pathname}`,
    swallow: (fits) => {
      swallowed = fits;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
