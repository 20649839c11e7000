// One agent behind the webhook receiver: its secrets, its memory of deliveries, and whom a believed post wakes.
import type { WakeKind } from '../domain/wake.js';
import type { Clock } from '../ports/clock.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { Observer } from '../ports/observer.js';
import type { WakeSource, WakeSourceFacts } from '../ports/wake-source.js';
import type { Addressee } from './judge.js';
import { isAboutProof, REFUSALS, type RefusalReason } from './refusal.js';
import type { Secret } from './secret.js';

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
  address(): Address | undefined;
  /** Where posts are for this agent alone, if it has a name; they wake no other behind the same listener. */
  readonly path: string;
  /**
   * Posts to this agent under this id are a test: judged and answered like any other, but they wake nobody, and are
   * neither counted, told of nor remembered. Only the last few such ids are known.
   */
  expectTest(id: string): void;
  counts(): WebhookCounts;
  /** From now on these secrets prove a post. Throws as `WebhookHub.door` does; the old ones stay in force then. */
  renew(secrets: readonly string[]): void;
}

/** Tests that may be under way at once. */
const TESTS = 8;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What the agent behind a door brings along. */
export interface Behind {
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  /** Hears `notice` and `webhook-refused` events. */
  readonly observer: Observer;
}

interface Awake extends Behind {
  wake(kind: WakeKind): void;
}

/**
 * A door stands as long as the receiver knows the agent; an agent is behind it only while it runs. A believed post that
 * finds nobody is answered all the same: whoever starts looks first.
 */
export class Door implements Addressee {
  readonly name: string | undefined;
  #secrets: readonly Secret[];
  readonly #checked: (secrets: readonly string[]) => readonly Secret[];
  readonly #address: () => Address | undefined;
  readonly #counts = {
    accepted: 0,
    duplicates: 0,
    aborted: 0,
    refused: { method: 0, path: 0, 'too-large': 0, malformed: 0, unsigned: 0, stale: 0, signature: 0 },
  };
  #behind: Awake | undefined;
  /** Ids of announced tests, the newest last. */
  #tests: readonly string[] = [];
  /** What accepted posts have set going. */
  readonly #working = new Set<Promise<void>>();
  /** A refused signature was told of, and no post has been accepted since. */
  #complained = false;
  /** A delivery could not be recorded, which was told of, and none has been since. */
  #forgetful = false;

  /** @param checked reads secrets, or throws */
  constructor(
    name: string | undefined,
    secrets: readonly string[],
    checked: (secrets: readonly string[]) => readonly Secret[],
    address: () => Address | undefined,
  ) {
    this.name = name;
    this.#secrets = checked(secrets);
    this.#checked = checked;
    this.#address = address;
  }

  get secrets(): readonly Secret[] {
    return this.#secrets;
  }

  /** The agent's wake source. Between its start and its stop, believed posts wake. */
  attach(behind: Behind): WebhookReceiver {
    return {
      name: 'webhook',
      address: this.#address,
      path: this.name === undefined ? '/webhook' : `/webhook/${encodeURIComponent(this.name)}`,
      connected: () => false,
      // A receiver listens by default; only a secret, or a post that was believed, shows that somebody means to call.
      announces: () => this.secrets.length > 0 || this.#counts.accepted > 0,
      facts: () => this.#facts(),
      renew: (secrets) => {
        this.#secrets = this.#checked(secrets);
      },
      expectTest: (id) => {
        this.#tests = [...this.#tests, id].slice(-TESTS);
      },
      counts: () => ({ ...this.#counts, refused: { ...this.#counts.refused } }),
      start: async (wake) => {
        this.#behind = { ...behind, wake };
      },
      stop: async () => {
        this.#behind = undefined;
        await Promise.all(this.#working);
      },
    };
  }

  #facts(): WakeSourceFacts {
    const bound = this.#address();
    if (!bound) return { address: undefined };
    return { address: webhookUrl(bound) };
  }

  isTest(id: string | undefined): boolean {
    return id !== undefined && this.#tests.includes(id);
  }

  accepted(deliveryId: string | undefined): void {
    if (this.isTest(deliveryId)) return;
    this.#counts.accepted += 1;
    this.#complained = false;
    if (!this.#behind) return;
    const work = this.#work(deliveryId, this.#behind).finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** @param tell whether it is this agent's to tell of */
  refused(reason: RefusalReason, tell: boolean): void {
    this.#counts.refused[reason] += 1;
    this.#behind?.observer.on({ type: 'webhook-refused', reason });
    // A wrong secret must be seen, yet strangers must not fill the log: one line until a post is accepted again.
    if (!tell || !isAboutProof(reason) || this.#complained || !this.#behind) return;
    this.#complained = true;
    const text = `A webhook post was refused: ${REFUSALS[reason].sentence} Further ones are only counted.`;
    warn(this.#behind, text);
  }

  aborted(): void {
    this.#counts.aborted += 1;
  }

  /** What follows the 202. Never rejects. */
  async #work(deliveryId: string | undefined, behind: Awake): Promise<void> {
    if (deliveryId === undefined || (await this.#isNew(deliveryId, behind))) behind.wake('webhook');
    else this.#counts.duplicates += 1;
  }

  async #isNew(deliveryId: string, behind: Behind): Promise<boolean> {
    try {
      const fresh = await behind.deliveries.remember(deliveryId, behind.clock.now());
      this.#forgetful = false;
      return fresh;
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      if (!this.#forgetful)
        warn(behind, `Webhook deliveries cannot be recorded, so repetitions wake too: ${cause}`);
      this.#forgetful = true;
      // One look too many costs nothing; a lost wake may cost an hour.
      return true;
    }
  }
}

/** Where posts for all are taken. */
export const webhookUrl = ({ host, port }: Address): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}/webhook`;

function warn({ observer }: Behind, text: string): void {
  observer.on({ type: 'notice', level: 'warn', text });
}
