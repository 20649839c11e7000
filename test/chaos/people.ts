// Those who write to the agent: MCP clients of the inbox that try again until their question is taken.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Question, questionText } from './question.js';

const CALL_MS = 5_000;
const AGAIN_MS = 150;

/** A question that the inbox has taken. */
export interface Posted extends Question {
  readonly from: string;
  /** The inbox's id. */
  readonly id: string;
}

export class Person {
  readonly name: string;
  readonly #url: string;
  readonly #key: string;
  #client: Client | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: string, url: string, key: string) {
    this.name = name;
    this.#url = url;
    this.#key = key;
  }

  /** One after the other. Resolves when the inbox has taken it, however often it is down; rejects on abort. */
  post(question: Question, signal: AbortSignal): Promise<Posted> {
    const post = this.#last.then(async () => {
      for (;;) {
        signal.throwIfAborted();
        const id = await this.#try(question);
        if (id !== undefined) return { ...question, from: this.name, id };
        await sleep(AGAIN_MS);
      }
    });
    this.#last = post.catch(() => {});
    return post;
  }

  async close(): Promise<void> {
    await this.#client?.close().catch(() => {});
    this.#client = undefined;
  }

  /** The same question has the same key: taken twice it is still one. */
  async #try(question: Question): Promise<string | undefined> {
    try {
      const client = await this.#connected();
      const args = { to: '@agent', message: questionText(question), idempotency_key: question.token };
      const result = await client.callTool({ name: 'send_dm', arguments: args }, undefined, {
        timeout: CALL_MS,
      });
      const { message_id: id } = (result.structuredContent ?? {}) as { message_id?: string };
      return id;
    } catch {
      await this.close();
      return undefined;
    }
  }

  async #connected(): Promise<Client> {
    if (this.#client) return this.#client;
    const client = new Client({ name: `chaos-${this.name}`, version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${this.#key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(this.#url), { requestInit }), {
      timeout: CALL_MS,
    });
    this.#client = client;
    return client;
  }
}
