// The holds of this run: placed and lifted here, each outage told once when it begins and once when it is over.
import { blocking, type Hold, type HoldReason, type Holds, lift, NO_HOLDS, place } from '../domain/hold.js';
import type { Clock } from '../ports/clock.js';
import type { Observer } from '../ports/observer.js';

export class HoldBoard {
  readonly #clock: Clock;
  readonly #observer: Observer;
  #holds: Holds = NO_HOLDS;
  /** Holds whose time is up, but whose cause has not been seen to be gone: the next try will tell. */
  readonly #trying = new Map<HoldReason, Hold>();
  /** Repeats of a hold since it was last free of it: waits grow by them. */
  readonly #repeats = new Map<HoldReason, number>();

  constructor(clock: Clock, observer: Observer) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get current(): Holds {
    return this.#holds;
  }

  /** Places a hold until `until` (epoch ms), or until it is lifted. */
  place(reason: HoldReason, why: string, until?: number): void {
    const known = this.#holds.get(reason) ?? this.#trying.get(reason);
    const hold: Hold = { reason, why, since: known?.since ?? this.#clock.now(), until };
    this.#trying.delete(reason);
    this.#holds = place(this.#holds, hold);
    if (!known) this.#observer.on({ type: 'hold-began', hold });
  }

  /** Places a hold whose wait doubles each time it comes back before `clear` was called. */
  placeGrowing(reason: HoldReason, why: string, firstMs: number, maxMs: number): void {
    const repeats = this.#repeats.get(reason) ?? 0;
    this.#repeats.set(reason, repeats + 1);
    const waitMs = Math.min(maxMs, firstMs * 2 ** Math.min(repeats, 20));
    this.place(reason, why, this.#clock.now() + waitMs);
  }

  /** It stands, or its time is up and its cause has not been seen to be gone. */
  knows(reason: HoldReason): boolean {
    return this.#holds.has(reason) || this.#trying.has(reason);
  }

  /** What caused it is over. */
  clear(reason: HoldReason): void {
    this.#repeats.delete(reason);
    const hold = this.#holds.get(reason) ?? this.#trying.get(reason);
    if (!hold) return;
    this.#holds = lift(this.#holds, reason);
    this.#trying.delete(reason);
    this.#observer.on({ type: 'hold-ended', hold, at: this.#clock.now() });
  }

  /** Somebody may have mended what caused them: they stand until the next try tells. */
  retryNow(...reasons: readonly HoldReason[]): void {
    for (const reason of reasons) {
      const hold = this.#holds.get(reason);
      if (hold) this.#setAside(hold);
    }
  }

  /** Sets aside the holds whose time is up, and answers the one that blocks now. */
  blocking(): Hold | undefined {
    const now = this.#clock.now();
    for (const hold of [...this.#holds.values()]) {
      if (hold.until === undefined || hold.until > now) continue;
      this.#setAside(hold);
    }
    return blocking(this.#holds, now);
  }

  #setAside(hold: Hold): void {
    this.#holds = lift(this.#holds, hold.reason);
    this.#trying.set(hold.reason, hold);
  }
}
