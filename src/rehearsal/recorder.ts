// Remembers the latest calls, and tells listeners of each as it arrives.
import type { CallKind } from './kind.js';

/** One HTTP request. The last three fields are filled in when the answer goes out. */
export interface RecordedCall {
  /** 1 for the first call since the start or the last reset. */
  readonly number: number;
  /** Epoch ms of arrival. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly kind: CallKind;
  readonly model: string | undefined;
  /** Claude Code's session id, as it names it in its headers. */
  readonly session: string | undefined;
  /** Size of the request body. */
  readonly bytes: number;
  /** The parsed body; undefined when it was empty or not JSON. */
  readonly body: unknown;
  status: number | undefined;
  /** `abandoned`: the caller went away, or the server closed, before the answer was out. */
  outcome: 'open' | 'answered' | 'fault' | 'abandoned';
  fault: string | undefined;
}

export type CallListener = (call: RecordedCall) => void;

type Arrival = Omit<RecordedCall, 'number' | 'at' | 'status' | 'outcome' | 'fault'>;

export class Recorder {
  readonly #keep: number;
  readonly #listeners = new Set<CallListener>();
  #calls: RecordedCall[] = [];
  #total = 0;

  /** Keeps the latest `keep` calls; the count goes on. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  record(arrival: Arrival): RecordedCall {
    this.#total += 1;
    const call: RecordedCall = {
      number: this.#total,
      at: Date.now(),
      ...arrival,
      status: undefined,
      outcome: 'open',
      fault: undefined,
    };
    this.#calls.push(call);
    if (this.#calls.length > this.#keep) this.#calls.shift();
    for (const listener of this.#listeners) listener(call);
    return call;
  }

  calls(): readonly RecordedCall[] {
    return [...this.#calls];
  }

  get total(): number {
    return this.#total;
  }

  /** Returns the function that ends the listening. */
  onCall(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets all calls; listeners stay. */
  reset(): void {
    this.#calls = [];
    this.#total = 0;
  }
}
