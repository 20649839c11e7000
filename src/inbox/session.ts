// One MCP session: one SDK client on one transport, from its greeting to its end. In either era.
import { Client, type Tool as SdkTool } from '@modelcontextprotocol/client';
import { withDeadline } from '../lib/deadline.js';
import {
  announcesNothing,
  hearAnnouncements,
  resourcesToWatch,
  standing,
  subscribeEach,
} from './announcements.js';
import type { Failure, Reply, Tool, ToolResult } from './call.js';
import { type Era, MODERN_VERSION } from './era.js';
import { isObject } from './failed-request.js';
import { failureOf } from './failure.js';
import type { InboxServer } from './options.js';
import { readPage, readResult } from './raw-result.js';
import { carriesKey, nameOfServer, type Scrub } from './secrets.js';
import { keepListening } from './subscription.js';
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
/** A server may never answer a question it does not know; there is the older one to ask then. */
const DISCOVER_MS = 5_000;

export type Ask<T> = (options: {
  timeout: number;
  maxTotalTimeout: number;
  signal: AbortSignal;
}) => Promise<T>;

export class Session {
  readonly era: Era;
  readonly #settings: SessionSettings;
  readonly #client: Client;
  readonly #transport: OpenTransport;
  readonly #listening = new AbortController();
  #tools: readonly Tool[] = [];
  #closed = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #running = 0;
  #idle: (() => void) | undefined;
  #end: Promise<void> | undefined;

  constructor(settings: SessionSettings, era: Era) {
    this.#settings = settings;
    this.era = era;
    const { onAnnounced } = settings;
    this.#client = new Client(
      { name: 'mcp-inbox-worker', version: '1' },
      {
        // Which era it is, we decide (greeting.ts): the SDK takes "too many requests" for the older one.
        versionNegotiation: { mode: era === 'modern' ? { pin: MODERN_VERSION } : 'legacy' },
        inputRequired: { autoFulfill: false },
      },
    );
    this.#transport = openTransport(settings.server, onAnnounced && standing(settings, onAnnounced));
    if (onAnnounced) hearAnnouncements(this.#client, onAnnounced);
    this.#client.onclose = () => {
      this.#closed = true;
    };
  }

  /** As it stands in a sentence; undefined before the greeting. */
  get protocol(): string | undefined {
    const version = this.#client.getNegotiatedProtocolVersion();
    return version === undefined ? undefined : `MCP ${version}`;
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
    const connect: Ask<void> = (options) => this.#client.connect(this.#transport.transport, options);
    const { limitMs } = this.#settings;
    return this.#ask(
      'connect',
      signal,
      connect,
      this.era === 'modern' ? Math.min(limitMs, DISCOVER_MS) : limitMs,
    );
  }

  /** All tools with a name, in the server's own words. */
  async tools(signal: AbortSignal): Promise<Reply<readonly Tool[]>> {
    const found: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_TOOL_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#ask('connect', signal, async (options) =>
        readPage(await this.#client.request({ method: 'tools/list', params }, options)),
      );
      if (reply.kind === 'failed') return reply;
      found.push(...reply.value.tools);
      cursor = reply.value.nextCursor;
      if (cursor === undefined) break;
    }
    this.#tools = found;
    return { kind: 'answered', value: found };
  }

  /** One tool call, with neither the argument nor the result checked against the server's schemas. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Reply<ToolResult>> {
    // Some servers of the modern era want arguments in HTTP headers, too: the SDK reads off the schema which.
    const inputSchema = this.#tools.find((tool) => tool.name === name)?.inputSchema;
    const toolDefinition = { name, inputSchema: isObject(inputSchema) ? inputSchema : {} } as SdkTool;
    return this.#ask('call', signal, async (options) =>
      readResult(await this.#client.callTool({ name, arguments: args }, { ...options, toolDefinition })),
    );
  }

  /** Asks to be told of changes, where announcements are wanted. What cannot be had is no failure. */
  async subscribe(signal: AbortSignal): Promise<void> {
    const { onAnnounced, now, sleep, limitMs } = this.#settings;
    if (!onAnnounced) return;
    const ask = <T>(request: Ask<T>) => this.#ask('connect', signal, request);
    const uris = await resourcesToWatch(this.#client, ask);
    if (this.era === 'legacy') return subscribeEach(this.#client, uris, ask);
    const onNothing = () => announcesNothing(this.#settings);
    const { signal: ending } = this.#listening;
    await keepListening(this.#client, {
      uris,
      limitMs,
      signal: ending,
      now,
      sleep,
      onGap: onAnnounced,
      onNothing,
    });
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
    this.#listening.abort();
    await idle;
    // Without the DELETE, sessions pile up on the server: the SDK's close() sends none.
    await withDeadline(this.#transport.terminate(), TERMINATE_MS, 'ending the session').catch(() => {});
    await this.#client.close().catch(() => {});
    // A client that never got as far as connecting does not own its transport.
    await this.#transport.transport.close().catch(() => {});
  }

  async #ask<T>(
    phase: 'connect' | 'call',
    signal: AbortSignal,
    ask: Ask<T>,
    limitMs = this.#settings.limitMs,
  ): Promise<Reply<T>> {
    const exchange = new Exchange();
    // A controller per request: the caller's signal lives as long as the worker.
    const cancel = new AbortController();
    const onAbort = () => cancel.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#running += 1;
    const failure = (error: unknown, asked = phase) => this.#failure(asked, signal, exchange, error, limitMs);
    try {
      if (signal.aborted) return failure(signal.reason, 'connect');
      const options = { timeout: limitMs, maxTotalTimeout: limitMs, signal: cancel.signal };
      const value = await orAborted(
        during(exchange, () => ask(options)),
        cancel.signal,
      );
      this.#heardAt = this.#settings.now();
      return { kind: 'answered', value };
    } catch (error) {
      return failure(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
      exchange.end();
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    }
  }

  #failure(
    phase: 'connect' | 'call',
    signal: AbortSignal,
    exchange: Exchange,
    error: unknown,
    limitMs: number,
  ): Failure {
    const { server, scrub } = this.#settings;
    return failureOf({
      hasKey: carriesKey(this.#settings.server),
      error,
      exchange,
      aborted: signal.aborted,
      phase,
      era: this.era,
      protocol: this.protocol,
      now: this.#settings.now(),
      limitMs,
      server: nameOfServer(server),
      lastWords: this.#transport.lastWords(),
      scrub,
    });
  }
}

/** The SDK does not look at the signal while it asks a modern server what there is. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([promise, aborted]);
}
