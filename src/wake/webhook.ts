// The webhook receiver: a believed post is a wake; its body is hashed, counted and dropped.
import { WorkerError } from '../domain/errors.js';
import type { WakeKind } from '../domain/wake.js';
import type { Clock } from '../ports/clock.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { Observer } from '../ports/observer.js';
import type { WakeSource } from '../ports/wake-source.js';
import { httpEdge } from './http-edge.js';
import { judge } from './judge.js';
import { Listener } from './listener.js';
import { isLoopback } from './loopback.js';
import { REFUSALS, type RefusalReason } from './refusal.js';
import { parseSecret, type Secret } from './secret.js';

export interface WebhookOptions {
  /** Default 127.0.0.1; `localhost` means that too. */
  readonly host?: string | undefined;
  /** Default 8787; 0 for any free one. */
  readonly port?: number | undefined;
  /** `whsec_…` or plain; several while one is being replaced. Empty: unsigned posts are taken, on loopback only. */
  readonly secrets: readonly string[];
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  /** Hears `notice` events. */
  readonly observer: Observer;
  /** The name that `POST /webhook/NAME` wakes; without one only `/webhook` wakes. */
  readonly agentName?: string | undefined;
  /** The longest body, default 256 KiB. */
  readonly maxBytes?: number | undefined;
  /** How far a signed timestamp may be from now, in seconds either way. Default 300. */
  readonly toleranceS?: number | undefined;
  /** Time for a request's headers, ms. Default 10 s. */
  readonly headersMs?: number | undefined;
  /** Time for a whole request, ms. Default 20 s. */
  readonly requestMs?: number | undefined;
  /** A taken port is tried again after this time, ms. Default 30 s. */
  readonly rebindMs?: number | undefined;
}

interface WebhookCounts {
  /** Answered 202, repetitions included. */
  readonly accepted: number;
  /** Accepted, but known by their delivery id: they woke nobody. */
  readonly duplicates: number;
  /** Given up by the sender, or cut for slowness, in the middle of the body. */
  readonly aborted: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
}

export interface WebhookReceiver extends WakeSource {
  /** Where it listens now; undefined while it does not. */
  address(): { host: string; port: number } | undefined;
  counts(): WebhookCounts;
}

/**
 * Throws WorkerError: `webhook-insecure` for an address that others can reach without a secret, `setting-invalid` for
 * a damaged secret.
 */
export function webhookReceiver(options: WebhookOptions): WebhookReceiver {
  return new Receiver(options);
}

class Receiver implements WebhookReceiver {
  readonly name = 'webhook';
  readonly #options: WebhookOptions;
  readonly #host: string;
  readonly #secrets: readonly Secret[];
  readonly #counts = {
    accepted: 0,
    duplicates: 0,
    aborted: 0,
    refused: { method: 0, path: 0, 'too-large': 0, malformed: 0, unsigned: 0, stale: 0, signature: 0 },
  };
  #listener: Listener | undefined;
  /** What accepted posts have set going. */
  readonly #working = new Set<Promise<void>>();
  /** A refused signature was told of, and no post has been accepted since. */
  #complained = false;
  /** A delivery could not be recorded, which was told of, and none has been since. */
  #forgetful = false;

  constructor(options: WebhookOptions) {
    const { host = '127.0.0.1', secrets } = options;
    if (secrets.length === 0 && !isLoopback(host)) {
      throw new WorkerError(
        'webhook-insecure',
        `The webhook receiver would listen on ${host === '' ? 'every address' : host} without a secret.`,
      );
    }
    this.#options = options;
    // A hosts file could give the name any address; the check above must hold for what is really bound.
    this.#host = host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
    this.#secrets = secrets.map(parseSecret);
  }

  address(): { host: string; port: number } | undefined {
    return this.#listener?.address();
  }

  counts(): WebhookCounts {
    return { ...this.#counts, refused: { ...this.#counts.refused } };
  }

  connected(): boolean {
    return false;
  }

  /** It listens by default; only a secret, or a post that was believed, shows that somebody means to call. */
  announces(): boolean {
    return this.#secrets.length > 0 || this.#counts.accepted > 0;
  }

  async start(wake: (kind: WakeKind) => void): Promise<void> {
    const { port = 8787, rebindMs = 30_000, clock, observer } = this.#options;
    const makeServer = () => this.#server(wake);
    this.#listener = new Listener({ host: this.#host, port, rebindMs, clock, observer, makeServer });
    await this.#listener.open();
    const bound = this.address();
    if (!bound) return;
    const text = `Webhooks are taken at http://${bound.host}:${bound.port}/webhook`;
    observer.on({ type: 'notice', level: 'info', text });
  }

  async stop(): Promise<void> {
    await this.#listener?.close();
    this.#listener = undefined;
    await Promise.all(this.#working);
  }

  #server(wake: (kind: WakeKind) => void) {
    const { clock, agentName, maxBytes = 256 * 1024, toleranceS = 300 } = this.#options;
    const { headersMs = 10_000, requestMs = 20_000 } = this.#options;
    const rules = { secrets: this.#secrets, maxBytes, toleranceS, agentName };
    return httpEdge(
      { maxBytes, headersMs, requestMs },
      {
        judge: (head) => judge(head, rules, clock.now()),
        accepted: (deliveryId) => {
          this.#counts.accepted += 1;
          this.#complained = false;
          const work = this.#work(deliveryId, wake).finally(() => this.#working.delete(work));
          this.#working.add(work);
        },
        refused: (reason) => {
          this.#counts.refused[reason] += 1;
          this.#complain(reason);
        },
        aborted: () => {
          this.#counts.aborted += 1;
        },
      },
    );
  }

  /** What follows the 202. Never rejects. */
  async #work(deliveryId: string | undefined, wake: (kind: WakeKind) => void): Promise<void> {
    if (deliveryId === undefined || (await this.#isNew(deliveryId))) wake('webhook');
    else this.#counts.duplicates += 1;
  }

  async #isNew(deliveryId: string): Promise<boolean> {
    const { deliveries, clock } = this.#options;
    try {
      const fresh = await deliveries.remember(deliveryId, clock.now());
      this.#forgetful = false;
      return fresh;
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      if (!this.#forgetful)
        this.#warn(`Webhook deliveries cannot be recorded, so repetitions wake too: ${cause}`);
      this.#forgetful = true;
      // One look too many costs nothing; a lost wake may cost an hour.
      return true;
    }
  }

  /** A wrong secret must be seen, yet strangers must not fill the log: one line until a post is accepted again. */
  #complain(reason: RefusalReason): void {
    const forItsProof = ['malformed', 'unsigned', 'stale', 'signature'].includes(reason);
    if (!forItsProof || this.#complained) return;
    this.#complained = true;
    this.#warn(`A webhook post was refused: ${REFUSALS[reason].sentence} Further ones are only counted.`);
  }

  #warn(text: string): void {
    this.#options.observer.on({ type: 'notice', level: 'warn', text });
  }
}
