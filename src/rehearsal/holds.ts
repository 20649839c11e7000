// Stops calls in mid-flight until a test lets them go on.
import { type Deferred, deferred } from '../lib/deferred.js';
import type { RecordedCall } from './recorder.js';

export interface Hold {
  /** Resolves with the held call, as soon as it has arrived: from then on Claude is in the middle of a turn. */
  readonly reached: Promise<RecordedCall>;
  /** Lets the held call, or the one that would have been held, go on. May be repeated. */
  release(): void;
}

interface Entry {
  readonly match: (call: RecordedCall) => boolean;
  readonly reached: Deferred<RecordedCall>;
  readonly released: Deferred<void>;
}

export class Holds {
  #waiting: Entry[] = [];
  readonly #open = new Set<Entry>();

  /** Holds the next call that matches, once. */
  hold(match: (call: RecordedCall) => boolean = () => true): Hold {
    const entry = newEntry(match);
    this.#waiting.push(entry);
    this.#open.add(entry);
    return { reached: entry.reached.promise, release: () => this.#release(entry) };
  }

  /** Resolves at once when no hold is meant for `call`; else when it is released, or `signal` aborts. */
  async pass(call: RecordedCall, signal: AbortSignal): Promise<void> {
    const entry = this.#waiting.find((candidate) => candidate.match(call));
    if (entry === undefined) return;
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    await this.#suspend(entry, call, signal);
  }

  /** Holds `call` itself, until `releaseAll` or until `signal` aborts. */
  async suspend(call: RecordedCall, signal: AbortSignal): Promise<void> {
    const entry = newEntry(() => false);
    this.#open.add(entry);
    await this.#suspend(entry, call, signal);
  }

  releaseAll(): void {
    for (const entry of this.#open) this.#release(entry);
  }

  async #suspend(entry: Entry, call: RecordedCall, signal: AbortSignal): Promise<void> {
    const stop = (): void => entry.released.resolve();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    entry.reached.resolve(call);
    await entry.released.promise;
    signal.removeEventListener('abort', stop);
    this.#open.delete(entry);
  }

  #release(entry: Entry): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    this.#open.delete(entry);
    entry.released.resolve();
  }
}

function newEntry(match: Entry['match']): Entry {
  return { match, reached: deferred<RecordedCall>(), released: deferred() };
}
