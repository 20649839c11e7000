// Answers a stdio client: what it asks goes to the inbox, what the inbox answers comes back.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js';
import { withDeadline } from '../lib/deadline.js';
import { createLink, type Link } from './link.js';
import { createSeeker, type Seeker } from './seek.js';
import type { FindTarget } from './target.js';
import { Trouble } from './trouble.js';

export interface DeskOptions {
  readonly find: FindTarget;
  readonly version: string;
  /** One sentence a line, without secrets. */
  log(line: string): void;
  /** Of one request to the inbox, ms. */
  readonly limitMs?: number;
  /** How often an inbox that is away is tried again, ms. */
  readonly seek?: { readonly firstMs?: number; readonly mostMs?: number; readonly refusedMs?: number };
}

/** How long answers that are under way may take once the client has said all it had to say. */
const LAST_ANSWERS_MS = 5_000;
const LIMIT_MS = 60_000;

/** The two requests, and what the client was last told about the tools. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #link: Link;
  readonly #seeker: Seeker;
  readonly #running = new Set<Promise<unknown>>();
  #server: Server | undefined;
  /** The list as the client has it; empty where it was told an error instead. */
  #told: string | undefined;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#link = createLink({
      find: options.find,
      version: options.version,
      limitMs: options.limitMs ?? LIMIT_MS,
      log: options.log,
      onOpened: (tools) => {
        if (this.#told !== undefined && this.#told !== JSON.stringify(tools)) this.#announce();
      },
      onListChanged: () => this.#announce(),
    });
    this.#seeker = createSeeker({
      ...options.seek,
      attempt: () => this.#link.tools(new AbortController().signal),
    });
  }

  /** A first connection, so that the inbox's own instructions reach the client. */
  async greet(): Promise<void> {
    await this.#link.tools(new AbortController().signal);
  }

  serve(): Server {
    const instructions = this.#link.instructions();
    const server = new Server(
      { name: 'inbox-worker-bridge', version: this.#options.version },
      {
        capabilities: { tools: { listChanged: true } },
        ...(instructions === undefined ? {} : { instructions }),
      },
    );
    // The error's own words may quote the line, and so a message.
    server.onerror = ({ name }) => this.#options.log(`a line from the client could not be used (${name})`);
    server.setRequestHandler(ListToolsRequestSchema, (_, { signal }) => this.#during(this.#list(signal)));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
      const { name, arguments: args } = params;
      return this.#during(this.#call({ name, ...(args && { arguments: args }) }, signal));
    });
    this.#server = server;
    return server;
  }

  /** Waits a while for the answers that are under way; not after `stop`. */
  async settle(stop: AbortSignal | undefined): Promise<void> {
    // The handlers of the last lines begin a moment after the lines were read.
    await nextTurn();
    const answered = Promise.allSettled(this.#running);
    const stopped = stop && once(stop, 'abort').catch(() => {});
    await withDeadline(
      Promise.race([answered, ...(stopped ? [stopped] : [])]),
      LAST_ANSWERS_MS,
      'the end',
    ).catch(() => {});
    // An answer is written a moment after its handler is done.
    await nextTurn();
  }

  async close(): Promise<void> {
    this.#seeker.stop();
    await this.#link.close();
  }

  async #list(signal: AbortSignal): Promise<ListToolsResult> {
    try {
      const tools = await this.#link.tools(signal);
      this.#told = JSON.stringify(tools);
      // Passed on as they are: what is odd about them is the client's to judge.
      return { tools: tools as unknown as ListToolsResult['tools'] };
    } catch (error) {
      if (signal.aborted) throw error;
      this.#told = '';
      if (error instanceof Trouble) this.#seeker.start(error);
      throw this.#logged(error, 'tools/list');
    }
  }

  async #call(params: Parameters<Link['call']>[0], signal: AbortSignal) {
    try {
      return await this.#link.call(params, signal);
    } catch (error) {
      throw signal.aborted ? error : this.#logged(error, params.name);
    }
  }

  /** The inbox's own words may quote a message: they reach the client, not the log. */
  #logged(error: unknown, what: string): unknown {
    const isWord = error instanceof Trouble && error.kind === 'rejected';
    this.#options.log(`${what}: ${isWord ? `the inbox said no (${error.code})` : messageOf(error)}`);
    return error;
  }

  #announce(): void {
    this.#server?.sendToolListChanged().catch(() => {});
  }

  #during<T>(answer: Promise<T>): Promise<T> {
    this.#running.add(answer);
    const done = (): boolean => this.#running.delete(answer);
    answer.then(done, done);
    return answer;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
