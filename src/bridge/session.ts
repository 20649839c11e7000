// One MCP session with the inbox: one SDK client on one transport, from its greeting to its end.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type Request,
  type Result,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { withDeadline } from '../lib/deadline.js';
import { standingStreamFetch } from './standing-stream.js';
import { nameOf, type Target } from './target.js';
import { type Trouble, troubleOf } from './trouble.js';

/** As the inbox wrote it. */
export type RemoteTool = Readonly<Record<string, unknown>> & { readonly name: string };

export interface SessionOptions {
  readonly target: Target;
  readonly version: string;
  /** Of one request, ms. */
  readonly limitMs: number;
  onListChanged(): void;
}

const CONNECT_MS = 15_000;
const PING_MS = 5_000;
const TERMINATE_MS = 1_000;
const MAX_PAGES = 50;

/** Every method rejects with a Trouble. */
export class Session {
  readonly #options: SessionOptions;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #running = new Set<Promise<unknown>>();
  #end: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = new Client({ name: 'inbox-worker-bridge', version: options.version });
    this.#transport = new StreamableHTTPClientTransport(new URL(options.target.url), {
      requestInit: { headers: { ...options.target.headers } },
      fetch: standingStreamFetch({
        wanted: () => this.#client.getServerCapabilities()?.tools?.listChanged === true,
      }),
    });
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onListChanged());
  }

  /** What the inbox tells every client about itself. */
  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#track('connect', CONNECT_MS, () =>
      this.#client.connect(this.#transport, { signal, timeout: CONNECT_MS, maxTotalTimeout: CONNECT_MS }),
    );
  }

  /** All tools that have a name, whatever else is odd about them. */
  async tools(signal: AbortSignal): Promise<RemoteTool[]> {
    const found: RemoteTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = typeof cursor === 'string' ? { cursor } : {};
      const result = await this.ask({ method: 'tools/list', params }, signal);
      if (Array.isArray(result.tools)) found.push(...result.tools.filter(isTool));
      cursor = result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    return found;
  }

  /** Whether the inbox still knows the session. An inbox that answers the ping with an error does. */
  async lives(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#request({ method: 'ping' }, signal, PING_MS);
      return true;
    } catch (error) {
      const { kind } = error as Trouble;
      return kind === 'rejected' || kind === 'late' || kind === 'other';
    }
  }

  ask(request: Request, signal: AbortSignal): Promise<Result> {
    return this.#request(request, signal, this.#options.limitMs);
  }

  /** Lets what runs come to its end, then ends the session. Never rejects. */
  async retire(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.close();
  }

  /** Ends the session on the server and the connection; what runs fails. Never rejects. */
  close(): Promise<void> {
    this.#end ??= this.#finish();
    return this.#end;
  }

  #request(request: Request, signal: AbortSignal, limitMs: number): Promise<Result> {
    const options = { signal, timeout: limitMs, maxTotalTimeout: limitMs };
    return this.#track('call', limitMs, () => this.#client.request(request, ResultSchema, options));
  }

  async #track<T>(phase: 'connect' | 'call', limitMs: number, ask: () => Promise<T>): Promise<T> {
    const asked = ask();
    this.#running.add(asked);
    try {
      return await asked;
    } catch (error) {
      const { target } = this.#options;
      const secrets = Object.values(target.headers).flatMap((value) => [value, ...value.split(/\s+/)]);
      throw troubleOf({ error, inbox: nameOf(target), phase, limitMs, secrets });
    } finally {
      this.#running.delete(asked);
    }
  }

  async #finish(): Promise<void> {
    // Without the DELETE, sessions pile up on the server: the SDK's close() sends none.
    await withDeadline(this.#transport.terminateSession(), TERMINATE_MS, 'ending the session').catch(
      () => {},
    );
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }
}

function isTool(value: unknown): value is RemoteTool {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
