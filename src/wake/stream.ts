// The wake stream: server-sent events, followed for as long as the worker runs.
import type { WakeKind } from '../domain/wake.js';
import { deferred } from '../lib/deferred.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/ids.js';
import type { Observer } from '../ports/observer.js';
import type { WakeSource, WakeSourceFacts } from '../ports/wake-source.js';
import { followStream, type StreamEnd } from './stream-connection.js';
import { complaint, type Trouble, troubleOf, waitMs } from './stream-trouble.js';

export interface WakeStreamOptions {
  readonly url: string;
  /** The bearer key, as a rule. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears `notice` events: one when a trouble begins, one when it is over. */
  readonly observer: Observer;
  /** Time for an answer to the request, ms. Default 15 s. */
  readonly connectMs?: number | undefined;
  /** Without a byte (comments count) for so long, the connection is taken for dead, ms. Default 90 s. */
  readonly silenceMs?: number | undefined;
  /** A connection that held so long is steady: the backoff starts anew, a trouble is over, ms. Default 30 s. */
  readonly steadyMs?: number | undefined;
  /** A stream that refuses the key, or is not there, is tried again after this time, ms. Default 5 min. */
  readonly probeMs?: number | undefined;
}

/**
 * Any unnamed or `wake` event wakes. So does each opening: what was announced while nobody listened is looked for.
 * `start` resolves at the first opening or the first failure.
 */
export function wakeStream(options: WakeStreamOptions): WakeSource {
  return new WakeStream(options);
}

/**
 * connecting → open → waiting → connecting …, until `stop`. `#failures` counts the ends since a connection was last
 * steady, however they came about: a server that closes politely is waited for like one that is down.
 */
class WakeStream implements WakeSource {
  readonly name = 'wake stream';
  readonly #options: WakeStreamOptions;
  readonly #silenceMs: number;
  readonly #steadyMs: number;
  readonly #probeMs: number;
  #stopping = new AbortController();
  #following: Promise<void> | undefined;
  /** When the last byte came on the connection that is open now. */
  #aliveAt: number | undefined;
  #openedAt: number | undefined;
  #failures = 0;
  #trouble: { readonly kind: Trouble; readonly since: number } | undefined;

  constructor(options: WakeStreamOptions) {
    this.#options = options;
    this.#silenceMs = options.silenceMs ?? 90_000;
    this.#steadyMs = options.steadyMs ?? 30_000;
    this.#probeMs = options.probeMs ?? 300_000;
  }

  async start(wake: (kind: WakeKind) => void): Promise<void> {
    this.#stopping = new AbortController();
    const first = deferred();
    this.#following = this.#follow(wake, first.resolve, this.#stopping.signal);
    await first.promise;
  }

  announces(): boolean {
    return true;
  }

  connected(): boolean {
    return this.#aliveAt !== undefined && this.#options.clock.now() - this.#aliveAt <= this.#silenceMs;
  }

  facts(): WakeSourceFacts {
    return { address: plainUrl(this.#options.url), since: this.connected() ? this.#openedAt : undefined };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #follow(wake: (kind: WakeKind) => void, onFirst: () => void, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const end = await this.#connection(wake, onFirst, signal);
      this.#failures += 1;
      this.#tell(end);
      onFirst();
      if (end.kind === 'stopped') return;
      const delay = waitMs(end, this.#failures, { probeMs: this.#probeMs, random: random.next() });
      await clock.sleepUntil(clock.now() + delay, signal);
    }
  }

  async #connection(
    wake: (kind: WakeKind) => void,
    onFirst: () => void,
    signal: AbortSignal,
  ): Promise<StreamEnd> {
    const { url, headers, clock, connectMs = 15_000 } = this.#options;
    const over = new AbortController();
    let steady: Promise<void> | undefined;
    const alive = (): void => {
      this.#aliveAt = clock.now();
    };
    const end = await followStream(
      {
        url,
        headers,
        clock,
        connectMs,
        silenceMs: this.#silenceMs,
        onOpen: () => {
          alive();
          this.#openedAt = clock.now();
          steady = this.#untilSteady(over.signal);
          onFirst();
          wake('stream');
        },
        onBytes: alive,
        onWake: () => wake('stream'),
      },
      signal,
    );
    this.#aliveAt = undefined;
    over.abort();
    await steady;
    return end;
  }

  async #untilSteady(over: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const openedAt = clock.now();
    await clock.sleepUntil(openedAt + this.#steadyMs, over);
    if (over.aborted) return;
    this.#failures = 0;
    if (this.#trouble === undefined) return;
    const seconds = Math.round((openedAt - this.#trouble.since) / 1000);
    this.#trouble = undefined;
    this.#notice('info', `The wake stream works again, after ${seconds} s.`);
  }

  /** An outage is told of when it begins, or turns into another kind; never at each try. */
  #tell(end: StreamEnd): void {
    const kind = troubleOf(end, this.#failures);
    if (kind === undefined || kind === this.#trouble?.kind) return;
    // A server that comes up and goes down again is one trouble, whichever way it is met.
    const passing = (one: Trouble | undefined): boolean => one === 'down' || one === 'unsteady';
    if (passing(kind) && passing(this.#trouble?.kind)) return;
    this.#trouble = { kind, since: this.#trouble?.since ?? this.#options.clock.now() };
    const level = kind === 'unauthorised' ? 'error' : 'warn';
    this.#notice(level, complaint(kind, end, plainUrl(this.#options.url), this.#probeMs));
  }

  #notice(level: 'info' | 'warn' | 'error', text: string): void {
    this.#options.observer.on({ type: 'notice', level, text });
  }
}

/** Without user, password and query, where keys may hide. */
function plainUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
