// A TCP proxy before a database: cuts the line at a word of the client's, before or after the server has heard it.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly port: number;
  /** At the next message that holds `word`: `before` the server gets it, or `after` the server has answered it. */
  cut(word: string, when: 'before' | 'after'): void;
  /** Refuses every connection, and breaks those that stand, until `mend`. */
  sever(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  let wish: { readonly word: string; readonly when: 'before' | 'after' } | undefined;
  let severed = false;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    if (severed) return end();
    open.add(client);
    let deaf = false;
    client.on('data', (chunk) => {
      if (wish && chunk.includes(wish.word)) {
        const { when } = wish;
        wish = undefined;
        if (when === 'before') return end();
        deaf = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (deaf) end();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: (word, when) => {
      wish = { word, when };
    },
    sever: () => {
      severed = true;
      for (const socket of open) socket.destroy();
    },
    mend: () => {
      severed = false;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
