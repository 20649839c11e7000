// The upstream inbox itself: it outlives every worker, and remembers what it was told.
import type { IncomingMessage } from '../../src/domain/message.js';
import type { OutgoingMessage } from '../../src/ports/upstream.js';
import type { Mail, Setting } from './plan.js';

/** The agent's own name, and one whose messages nobody is to answer. */
export const AGENT = '@agent';
export const DENIED = '@mallory';

export interface Delivery {
  readonly key: string;
  readonly to: string;
  readonly text: string;
  /** The process that asked for it. */
  readonly by: string;
}

/** Marks whose secret a text is. Every text of a simulation carries one at its beginning. */
export const markOf = (conversation: string): string => `⟪${conversation}⟫`;
export const marksIn = (text: string): string[] =>
  [...text.matchAll(/⟪([^⟫]+)⟫/g)].map((match) => match[1] ?? '');

export class InboxServer {
  readonly arrived: IncomingMessage[] = [];
  readonly deliveries: Delivery[] = [];
  /** By message id: which process took it away, where taking consumes. */
  readonly takenBy = new Map<string, string>();
  /** Keys of the texts that it would not take. */
  readonly refused = new Set<string>();
  /** Taken away, and the answer was never heard. */
  readonly lost = new Set<string>();
  unread: IncomingMessage[] = [];
  readonly #setting: Setting;
  readonly #byKey = new Map<string, string>();
  /** Told of each message that is really delivered. */
  readonly #onDelivery: (delivery: Delivery) => void;

  constructor(setting: Setting, onDelivery: (delivery: Delivery) => void) {
    this.#setting = setting;
    this.#onDelivery = onDelivery;
  }

  arrive(mail: Mail, at: number): IncomingMessage {
    const id = `m${this.arrived.length + 1}`;
    const { conversation, sender, kind } = mail;
    const named = mail.mention ? ` ${AGENT}` : '';
    const text = `${markOf(conversation)}${named} message ${id}${mail.long ? ` ${'long '.repeat(60)}` : ''}`;
    const replyTo = conversation.startsWith('#') ? conversation : undefined;
    const message: IncomingMessage = { id, conversation, sender, text, kind, sentAt: at, replyTo };
    this.arrived.push(message);
    this.unread.push(message);
    return message;
  }

  peek(limit: number): IncomingMessage[] {
    return this.unread.slice(0, limit);
  }

  acknowledge(ids: readonly string[]): void {
    this.unread = this.unread.filter((message) => !ids.includes(message.id));
  }

  /** Peeks and acknowledges in one: whoever does not hear the answer has lost it. */
  take(limit: number, by: string): IncomingMessage[] {
    const batch = this.peek(limit);
    for (const message of batch) this.takenBy.set(message.id, by);
    this.acknowledge(batch.map((message) => message.id));
    return batch;
  }

  lose(batch: readonly IncomingMessage[]): void {
    for (const message of batch) this.lost.add(message.id);
  }

  accept(message: OutgoingMessage, by: string): string {
    const key = message.idempotencyKey;
    const known = this.#byKey.get(key);
    if (known !== undefined && this.#setting.idempotent) return known;
    const id = `u${this.deliveries.length + 1}`;
    this.#byKey.set(key, id);
    const delivery = { key, to: message.to, text: message.text, by };
    this.deliveries.push(delivery);
    this.#onDelivery(delivery);
    return id;
  }
}
