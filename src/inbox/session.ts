// One MCP session: one SDK client on one transport, from its greeting to its end.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { withDeadline } from '../lib/deadline.js';
import { hearAnnouncements, standing, subscribeToResources } from './announcements.js';
import type { Failure, Reply, Tool, ToolResult } from './call.js';
import { failureOf } from './failure.js';
import type { InboxServer } from './options.js';
import { nameOfServer, type Scrub } from './secrets.js';
import { type OpenTransport, openTransport } from './transport.js';
import { during, Exchange } from './wire.js';

export interface SessionSettings {
  readonly server: InboxServer;
  readonly limitMs: number;
  /** As in `InboxOptions`. */
  readonly onAnnounced: (() => void) | undefined;
  readonly scrub: Scrub;
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  notice(text: string): void;
}

const TERMINATE_MS = 1_000;
/** Servers close idle connections after some seconds: Node's after 5. */
const FRESH_MS = 2_000;
const MAX_TOOL_PAGES = 50;

// As loose as can be: one odd tool, or one output schema that does not compile, must not hide the others.
const TOOLS = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});
const TOOL = z.looseObject({ name: z.string(), inputSchema: z.unknown().optional() });
const RESULT = z.looseObject({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export type Ask<T> = (options: {
  timeout: number;
  maxTotalTimeout: number;
  signal: AbortSignal;
}) => Promise<T>;

export class Session {
  readonly #settings: SessionSettings;
  readonly #client = new Client({ name: 'mcp-inbox-worker', version: '1' });
  readonly #transport: OpenTransport;
  #closed = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #running = 0;
  #idle: (() => void) | undefined;
  #end: Promise<void> | undefined;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    const { onAnnounced } = settings;
    this.#transport = openTransport(settings.server, onAnnounced && standing(settings, onAnnounced));
    if (onAnnounced) hearAnnouncements(this.#client, onAnnounced);
    this.#client.onclose = () => {
      this.#closed = true;
    };
  }

  /** False once the transport has closed by itself, or `retire` or `close` was called. */
  get usable(): boolean {
    return !this.#closed && this.#end === undefined;
  }

  /** The server answered a moment ago: neither the session nor the idle connection has had time to die. */
  get fresh(): boolean {
    return Math.abs(this.#settings.now() - this.#heardAt) < FRESH_MS;
  }

  /** The greeting. Called once, before anything else. */
  open(signal: AbortSignal): Promise<Reply<void>> {
    return this.#ask('connect', signal, (options) =>
      this.#client.connect(this.#transport.transport, options),
    );
  }

  /** All tools with a name, asked raw: the SDK's `listTools` rejects when one output schema does not compile. */
  async tools(signal: AbortSignal): Promise<Reply<readonly Tool[]>> {
    const found: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_TOOL_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#ask('connect', signal, (options) =>
        this.#client.request({ method: 'tools/list', params }, TOOLS, options),
      );
      if (reply.kind === 'failed') return reply;
      for (const entry of reply.value.tools) {
        const tool = TOOL.safeParse(entry);
        if (tool.success) found.push(tool.data);
      }
      cursor = reply.value.nextCursor ?? undefined;
      if (cursor === undefined) break;
    }
    return { kind: 'answered', value: found };
  }

  /** One tool call, with neither the argument nor the result checked against the server's schemas. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Reply<ToolResult>> {
    return this.#ask('call', signal, (options) =>
      this.#client.request({ method: 'tools/call', params: { name, arguments: args } }, RESULT, options),
    );
  }

  /** Asks to be told of changes, where announcements are wanted. What cannot be had is no failure. */
  async subscribe(signal: AbortSignal): Promise<void> {
    if (!this.#settings.onAnnounced) return;
    await subscribeToResources(this.#client, (ask) => this.#ask('connect', signal, ask));
  }

  /** Takes no new calls, waits for those that run, then ends. Never rejects. */
  retire(): Promise<void> {
    this.#end ??= this.#finish(
      this.#running === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.#idle = resolve)),
    );
    return this.#end;
  }

  /** Ends at once: what runs fails with a closed connection. Never rejects. */
  async close(): Promise<void> {
    const retired = this.retire();
    this.#idle?.();
    await retired;
  }

  async #finish(idle: Promise<void>): Promise<void> {
    await idle;
    // Without the DELETE, sessions pile up on the server: the SDK's close() sends none.
    await withDeadline(this.#transport.terminate(), TERMINATE_MS, 'ending the session').catch(() => {});
    await this.#client.close().catch(() => {});
    // A client that never got as far as connecting does not own its transport.
    await this.#transport.transport.close().catch(() => {});
  }

  async #ask<T>(phase: 'connect' | 'call', signal: AbortSignal, ask: Ask<T>): Promise<Reply<T>> {
    const exchange = new Exchange();
    // A controller per request: the SDK never takes its listener off the signal again.
    const cancel = new AbortController();
    const onAbort = () => cancel.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#running += 1;
    try {
      if (signal.aborted)
        return this.#failure(phase === 'call' ? 'connect' : phase, signal, exchange, signal.reason);
      const { limitMs } = this.#settings;
      const options = { timeout: limitMs, maxTotalTimeout: limitMs, signal: cancel.signal };
      const value = await during(exchange, () => ask(options));
      this.#heardAt = this.#settings.now();
      return { kind: 'answered', value };
    } catch (error) {
      return this.#failure(phase, signal, exchange, error);
    } finally {
      signal.removeEventListener('abort', onAbort);
      exchange.end();
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    }
  }

  #failure(phase: 'connect' | 'call', signal: AbortSignal, exchange: Exchange, error: unknown): Failure {
    const { server, limitMs, scrub } = this.#settings;
    return failureOf({
      error,
      exchange,
      aborted: signal.aborted,
      phase,
      closed: this.#closed,
      now: this.#settings.now(),
      limitMs,
      server: nameOfServer(server),
      lastWords: this.#transport.lastWords(),
      scrub,
    });
  }
}
