// An upstream inbox in memory, with faults on demand.
import type { IncomingMessage } from '../../src/domain/message.js';
import type { LookOutcome, OutgoingMessage, SendOutcome, Upstream } from '../../src/ports/upstream.js';

export class FakeUpstream implements Upstream {
  maxChars = 10_000;
  idempotent = true;
  ownName: string | undefined = '@agent';
  looks = 0;
  readonly sent: OutgoingMessage[] = [];
  /** Answers to hand out before the usual ones. */
  readonly lookFaults: LookOutcome[] = [];
  readonly sendFaults: SendOutcome[] = [];
  /** Forgets what it hands over before it is spooled, as AgentDM does. */
  drains = false;
  closed = false;
  #unread: IncomingMessage[] = [];
  #count = 0;
  readonly #seenKeys = new Map<string, string>();

  /** A message from `sender` arrives. Answers its id. */
  arrive(sender: string, text: string, more: Partial<IncomingMessage> = {}): string {
    this.#count += 1;
    const id = `m${this.#count}`;
    this.#unread.push({ id, conversation: sender, sender, text, kind: 'agent', ...more });
    return id;
  }

  get unread(): number {
    return this.#unread.length;
  }

  async check(): Promise<LookOutcome> {
    return this.lookFaults[0] ?? { kind: 'looked' };
  }

  async look(spool: (batch: readonly IncomingMessage[]) => Promise<void>): Promise<LookOutcome> {
    this.looks += 1;
    const fault = this.lookFaults.shift();
    if (fault) return fault;
    const batch = [...this.#unread];
    if (this.drains) this.#unread = [];
    if (batch.length > 0) await spool(batch);
    this.#unread = this.#unread.filter((message) => !batch.includes(message));
    return { kind: 'looked' };
  }

  async send(message: OutgoingMessage): Promise<SendOutcome> {
    const fault = this.sendFaults.shift();
    if (fault) return fault;
    const known = this.#seenKeys.get(message.idempotencyKey);
    if (known) return { kind: 'sent', upstreamId: known };
    this.sent.push(message);
    const upstreamId = `u${this.sent.length}`;
    this.#seenKeys.set(message.idempotencyKey, upstreamId);
    return { kind: 'sent', upstreamId };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
