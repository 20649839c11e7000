// What is remembered of claims between their turn and their last send: bounded, since a send may never come.
import type { WorkerEvent } from '../ports/observer.js';

/** Far more than wait in an outbox at once; of older ones only a figure is lost. */
const REMEMBERED = 1_000;

interface Seen {
  readonly messages: number;
  /** When its oldest message came to our disk; undefined once its reply was measured. */
  oldestAt: number | undefined;
}

export class Claims {
  readonly #seen = new Map<string, Seen>();

  follow(event: WorkerEvent): void {
    if (event.type !== 'turn-began') return;
    const { claimId, messages, spooledAt } = event;
    this.#seen.delete(claimId);
    this.#seen.set(claimId, { messages, oldestAt: spooledAt[0] });
    if (this.#seen.size <= REMEMBERED) return;
    const [oldest = ''] = this.#seen.keys();
    this.#seen.delete(oldest);
  }

  messagesOf(claimId: string): number {
    return this.#seen.get(claimId)?.messages ?? 1;
  }

  /** When the oldest message of a claim came to our disk; once only: a reply may have several parts. */
  takeOldest(claimId: string): number | undefined {
    const seen = this.#seen.get(claimId);
    const oldestAt = seen?.oldestAt;
    if (seen) seen.oldestAt = undefined;
    return oldestAt;
  }
}
