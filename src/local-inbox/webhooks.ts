// Outgoing webhooks: a signed word to an alias's own address that a message arrived.
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Signer } from 'standardwebhooks';
import type { Log } from './log.js';

export type WebhookTarget = {
  /** http or https. */
  url: string;
  /** As Standard Webhooks has it: `whsec_` and base64. */
  secret: string;
};

const ATTEMPTS = 5;
const ANSWER_LIMIT_MS = 10_000;
// For a receiver that is down for long: a wake carries no truth, so those over the limit may be dropped.
const MOST_PENDING = 1_000;

type Target = { url: string; signer: Signer };
type Options = { clock: () => number /** Doubles with each attempt. */; retryMs: number; log: Log };

/**
 * Targets and waiting deliveries live in memory only: the program that starts the inbox gives the targets, and a
 * delivery lost at its end is a missed wake, which the receiver's timer makes good.
 */
export class Webhooks {
  readonly #targets = new Map<string, Target>();
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Replaces the alias's target; nothing takes it away. Throws a sentence when address or secret are of no use. */
  set(alias: string, target: WebhookTarget | undefined): void {
    if (target) this.#targets.set(alias, checked(alias, target));
    else this.#targets.delete(alias);
  }

  /** Returns at once. The delivery is tried up to five times, at growing distances. */
  announce(alias: string, messageId: string): void {
    const target = this.#targets.get(alias);
    if (!target || this.#closing.signal.aborted) return;
    if (this.#pending.size >= MOST_PENDING) {
      this.#options.log('webhook-dropped', { alias, messageId, pending: this.#pending.size });
      return;
    }
    const delivery = this.#deliver(alias, messageId, target).finally(() => this.#pending.delete(delivery));
    this.#pending.add(delivery);
  }

  /** Cuts what is under way; resolves when nothing is. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#pending);
  }

  async #deliver(alias: string, messageId: string, target: Target): Promise<void> {
    const { clock, retryMs, log } = this.#options;
    const { signal } = this.#closing;
    // The id of the event, the same at every attempt, by which the receiver knows a repetition. It names the receiver
    // too: a message to a channel is one event for each member.
    const id = `msg_${messageId}_${alias.slice(1)}`;
    const body = JSON.stringify({
      type: 'message.created',
      timestamp: new Date(clock()).toISOString(),
      data: { to: alias, message_id: messageId },
    });
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const failure = await post(target, id, body, new Date(clock()), signal);
      if (signal.aborted) return;
      if (failure === undefined) {
        log('webhook-delivered', { alias, messageId, attempt });
        return;
      }
      log('webhook-failed', { alias, messageId, attempt, failure });
      if (attempt < ATTEMPTS) {
        // Rejects only when the inbox closes.
        await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
      }
    }
  }
}

/** What went wrong, or nothing when the receiver took it. */
async function post(target: Target, id: string, body: string, at: Date, closing: AbortSignal) {
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': target.signer.sign(id, at, body),
      },
      // A redirected POST may lose its body; Standard Webhooks counts it as a failure.
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${String(error.cause ?? '')}`.trim() : String(error);
  }
}

function checked(alias: string, { url, secret }: WebhookTarget): Target {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`The webhook address of ${alias} is not an http or https address.`);
  }
  try {
    return { url, signer: new Signer(secret) };
  } catch {
    throw new Error(`The webhook secret of ${alias} is not of the form whsec_ and base64.`);
  }
}
