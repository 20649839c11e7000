// Keeps an HTTP server bound to its address: a taken port is told of and tried again, and is never an error.
import type { Server } from 'node:http';
import type { Clock } from '../ports/clock.js';
import type { Observer } from '../ports/observer.js';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly rebindMs: number;
  readonly clock: Clock;
  readonly observer: Observer;
  /** A server that does not listen yet: one for each try. */
  makeServer(): Server;
}

/** Connections that are still busy after this time are cut. */
const CLOSE_MS = 500;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  #server: Server | undefined;
  #opening: Promise<string | undefined> | undefined;
  #rebinding: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  address(): { host: string; port: number } | undefined {
    const address = this.#server?.address();
    // A TCP server's address is no string, and one that was closed has none.
    if (address === null || address === undefined || typeof address === 'string') return undefined;
    return { host: address.address, port: address.port };
  }

  /** Resolves when it listens, or has said why it cannot; then it goes on trying. */
  async open(): Promise<void> {
    this.#opening = this.#bind();
    const failure = await this.#opening;
    if (this.#stopping.signal.aborted) return;
    if (failure === undefined) return;
    this.#notice('error', `The webhook receiver cannot listen: ${failure}. The inbox is still polled.`);
    this.#rebinding = this.#rebind(this.#stopping.signal);
  }

  /** Resolves when the port is free and no connection is left. */
  async close(): Promise<void> {
    this.#stopping.abort();
    // A bind that is under way would hold the port with nobody to give it back.
    await this.#opening;
    await this.#rebinding;
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(cut);
  }

  async #rebind(signal: AbortSignal): Promise<void> {
    const { clock, rebindMs } = this.#options;
    for (;;) {
      await clock.sleepUntil(clock.now() + rebindMs, signal);
      if (signal.aborted) return;
      if ((await this.#bind()) !== undefined) continue;
      const { host, port } = this.#options;
      this.#notice('info', `The webhook receiver now listens on ${host}:${port}.`);
      return;
    }
  }

  /** Answers why it could not; undefined when it listens. */
  async #bind(): Promise<string | undefined> {
    const { host, port } = this.#options;
    const server = this.#options.makeServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
    } catch (error) {
      return sentence(error as NodeJS.ErrnoException, `${host}:${port}`);
    }
    this.#server = server;
    // Running out of file handles, say: the next connection may do better.
    server.on('error', (error) => this.#notice('warn', `The webhook receiver: ${error.message}.`));
    return undefined;
  }

  #notice(level: 'info' | 'warn' | 'error', text: string): void {
    this.#options.observer.on({ type: 'notice', level, text });
  }
}

function sentence(error: NodeJS.ErrnoException, where: string): string {
  if (error.code === 'EADDRINUSE') return `${where} is taken by another program`;
  if (error.code === 'EACCES') return `${where} needs rights that this user does not have`;
  if (error.code === 'EADDRNOTAVAIL') return `${where} is not an address of this machine`;
  return `${where}: ${error.message}`;
}
