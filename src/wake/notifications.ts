// Notifications of the inbox server as wakes: the first at once, a flood of them slowed down.
import type { WakeKind } from '../domain/wake.js';
import type { Clock } from '../ports/clock.js';
import type { WakeSource } from '../ports/wake-source.js';

export interface NotificationSource extends WakeSource {
  /** The server has announced something. */
  heard(): void;
}

const FIRST_QUIET_MS = 2_000;
const MOST_QUIET_MS = 15_000;

/**
 * After each wake there is a quiet time; what is heard in it is one wake at its end, and doubles the next one. So a
 * server that announces our own look as news costs four looks a minute, and one that announces mail costs no delay.
 */
export function notificationSource(options: { readonly clock: Clock }): NotificationSource {
  return new Notifications(options.clock);
}

class Notifications implements NotificationSource {
  readonly name = 'notifications';
  readonly #clock: Clock;
  #wake: ((kind: WakeKind) => void) | undefined;
  #stopping = new AbortController();
  #quiet: Promise<void> | undefined;
  #resting = false;
  #pending = false;
  #proven = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async start(wake: (kind: WakeKind) => void): Promise<void> {
    this.#stopping = new AbortController();
    this.#wake = wake;
    if (this.#pending) this.heard();
  }

  /** Before the start, too: the first look may lie behind us already, and its wake is owed. */
  heard(): void {
    this.#proven = true;
    this.#pending = true;
    if (!this.#wake || this.#resting) return;
    // Set first: whoever is woken may announce something at once.
    this.#resting = true;
    this.#quiet = this.#wakeThenRest(this.#stopping.signal).finally(() => {
      this.#resting = false;
    });
  }

  /** Nothing proves that the stream lives while it is silent: an announced mail does, as with a webhook. */
  connected(): boolean {
    return false;
  }

  /** A server that has never said anything owes us nothing. */
  announces(): boolean {
    return this.#proven;
  }

  async stop(): Promise<void> {
    this.#wake = undefined;
    this.#stopping.abort();
    await this.#quiet;
  }

  async #wakeThenRest(signal: AbortSignal): Promise<void> {
    for (let restMs = FIRST_QUIET_MS; this.#pending && !signal.aborted; ) {
      this.#pending = false;
      this.#wake?.('notification');
      await this.#clock.sleepUntil(this.#clock.now() + restMs, signal);
      restMs = Math.min(restMs * 2, MOST_QUIET_MS);
    }
  }
}
