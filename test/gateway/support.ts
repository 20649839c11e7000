// What the gateway's tests share: turns that a test can script, and the gateway on a real listener.
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type Gateway, type GatewayOptions, gatewayApp } from '../../src/gateway/index.js';
import type { DmPiece, DmSummary, OpenTurn, Refused, SendRequest, Turns } from '../../src/ports/turns.js';

export const AT = Date.UTC(2026, 10, 30, 12);

/** A turn with one conversation; every call of it is recorded. */
class ScriptedTurn implements OpenTurn {
  readonly calls: unknown[] = [];
  dms: DmSummary[] = [{ with: '@alice', unread: 2, lastAt: AT }];
  messages: DmPiece[] = [
    { id: 'm1', sender: '@alice', text: 'Grüße 🙂 "quoted"', at: AT, nextOffset: undefined },
    { id: 'm2', sender: '@alice', text: 'long', at: AT, nextOffset: 4 },
  ];
  sent: Awaited<ReturnType<OpenTurn['send']>> = { kind: 'accepted', messageId: 'o1', repeated: false };
  noted: { kind: 'noted' } | Refused = { kind: 'noted' };
  failure: Error | undefined;
  gate: Promise<void> = Promise.resolve();

  async #note(call: unknown): Promise<void> {
    this.calls.push(call);
    await this.gate;
    if (this.failure) throw this.failure;
  }
  async list() {
    await this.#note('list');
    return this.dms;
  }
  async read(request: Parameters<OpenTurn['read']>[0]) {
    await this.#note(request);
    if (request.with !== '@alice')
      return { kind: 'refused', message: `no conversation with ${request.with}` } as const;
    return { kind: 'messages', messages: this.messages } as const;
  }
  async send(request: SendRequest) {
    await this.#note(request);
    return this.sent;
  }
  async noReply() {
    await this.#note('noReply');
    return this.noted;
  }
  async taskDone() {
    await this.#note('taskDone');
    return this.noted;
  }
}

export class ScriptedTurns implements Turns {
  readonly turn = new ScriptedTurn();
  readonly tokens = new Map<string, OpenTurn | 'closed'>([
    ['open-token', this.turn],
    ['closed-token', 'closed'],
  ]);
  of(token: string): OpenTurn | 'closed' | 'unknown' {
    return this.tokens.get(token) ?? 'unknown';
  }
}

export interface RunningGateway {
  readonly url: string;
  readonly gateway: Gateway;
  readonly turns: ScriptedTurns;
  /** Tool, and whether it was done. */
  readonly calls: [string, boolean][];
  readonly errors: unknown[];
  close(): Promise<void>;
}

export async function startGateway(options: Partial<GatewayOptions> = {}): Promise<RunningGateway> {
  const turns = new ScriptedTurns();
  const calls: [string, boolean][] = [];
  const errors: unknown[] = [];
  const gateway = gatewayApp({
    turns,
    name: 'agentdm',
    version: '1.2.3',
    onCall: (tool, _, ok) => calls.push([tool, ok]),
    onError: (_, error) => errors.push(error),
    ...options,
  });
  const server = await new Promise<ServerType>((resolve) => {
    const listening = serve({ fetch: gateway.fetch, hostname: '127.0.0.1', port: 0 }, () =>
      resolve(listening),
    );
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    gateway,
    turns,
    calls,
    errors,
    close: async () => {
      await gateway.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
    },
  };
}
