// The public listener that one agent or many share: a post is judged by the secrets of those it is for.
import { WorkerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Observer } from '../ports/observer.js';
import { type Address, Door, webhookUrl } from './door.js';
import { httpEdge } from './http-edge.js';
import { type Addressed, judge } from './judge.js';
import { Listener } from './listener.js';
import { isLoopback } from './loopback.js';
import { header } from './proof.js';
import { isAboutProof, REFUSALS, type RefusalReason } from './refusal.js';
import { parseSecret, type Secret } from './secret.js';

export interface WebhookHubOptions {
  /** Default 127.0.0.1; `localhost` means that too. */
  readonly host?: string | undefined;
  /** Default 8787; 0 for any free one. */
  readonly port?: number | undefined;
  readonly clock: Clock;
  /** Hears `notice` events about the listener, and about refused posts that were for several agents. */
  readonly observer: Observer;
  /** What `GET /healthz` says: may a load balancer count on us, and one word. Answered at once. Default: ok. */
  health?: (() => { readonly ok: boolean; readonly status: string }) | undefined;
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

const FINE = { ok: true, status: 'ok' };

export class WebhookHub {
  readonly #options: WebhookHubOptions;
  readonly #host: string;
  readonly #doors: Door[] = [];
  #listener: Listener | undefined;
  /** A post for several was refused for its proof, which was told, and none has been accepted since. */
  #complained = false;

  constructor(options: WebhookHubOptions) {
    const { host = '127.0.0.1' } = options;
    this.#options = options;
    // A hosts file could give the name any address; what `door` checks must hold for what is really bound.
    this.#host = host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
  }

  /**
   * A door for one agent. `POST /webhook` reaches all doors, `POST /webhook/NAME` that one.
   * Throws WorkerError: `webhook-insecure` for an address that others can reach without a secret, `setting-invalid`
   * for a damaged secret.
   */
  door(name: string | undefined, secrets: readonly string[]): Door {
    const door = new Door(
      name,
      secrets,
      (given) => this.#checked(given),
      () => this.address(),
    );
    this.#doors.push(door);
    return door;
  }

  /** From now on nothing is there for this agent. */
  shut(door: Door): void {
    const at = this.#doors.indexOf(door);
    if (at >= 0) this.#doors.splice(at, 1);
  }

  address(): Address | undefined {
    return this.#listener?.address();
  }

  /** Resolves when it listens, or has said why it cannot and goes on trying. */
  async open(): Promise<void> {
    const { port = 8787, rebindMs = 30_000, clock, observer } = this.#options;
    const makeServer = () => this.#server();
    this.#listener = new Listener({ host: this.#host, port, rebindMs, clock, observer, makeServer });
    await this.#listener.open();
    const bound = this.address();
    if (!bound) return;
    const text = `Webhooks are taken at ${webhookUrl(bound)}`;
    observer.on({ type: 'notice', level: 'info', text });
  }

  /** Frees the port. May be repeated. */
  async close(): Promise<void> {
    await this.#listener?.close();
    this.#listener = undefined;
  }

  #checked(secrets: readonly string[]): Secret[] {
    const host = this.#host;
    if (secrets.length === 0 && !isLoopback(host)) {
      throw new WorkerError(
        'webhook-insecure',
        `The webhook receiver would listen on ${host === '' ? 'every address' : host} without a secret.`,
      );
    }
    return secrets.map(parseSecret);
  }

  #server() {
    const { clock, maxBytes = 256 * 1024, toleranceS = 300 } = this.#options;
    const { headersMs = 10_000, requestMs = 20_000, health = () => FINE } = this.#options;
    const rules = { agents: this.#doors, maxBytes, toleranceS };
    return httpEdge<Door>(
      { maxBytes, headersMs, requestMs },
      {
        judge: (head) => judge(head, rules, clock.now()),
        health,
        accepted: (proven) => this.#accepted(proven),
        refused: (reason, to, { headers }) => this.#refused(reason, to, header(headers, 'webhook-id')),
        aborted: (to) => {
          for (const door of to) door.aborted();
        },
      },
    );
  }

  #accepted(proven: readonly Addressed<Door>[]): void {
    this.#complained = false;
    // Several proofs of one agent are one post to it.
    const heard = new Set<Door>();
    for (const { to, proof } of proven) {
      if (!heard.has(to)) to.accepted(proof.deliveryId);
      heard.add(to);
    }
  }

  /** @param id as the post claims it */
  #refused(reason: RefusalReason, to: readonly Door[], id: string | undefined): void {
    if (to.some((door) => door.isTest(id))) return;
    // What reaches nobody by its path or method still counts somewhere.
    for (const door of to.length > 0 ? to : this.#doors) door.refused(reason, to.length === 1);
    if (to.length <= 1 || !isAboutProof(reason) || this.#complained) return;
    this.#complained = true;
    const text = `A webhook post for all was refused: ${REFUSALS[reason].sentence} Further ones are only counted.`;
    this.#options.observer.on({ type: 'notice', level: 'warn', text });
  }
}
