// The wake sources of a run: begun together, ended together, and what is known of each.
import type { WakeReport } from '../domain/status.js';
import type { WakeKind } from '../domain/wake.js';
import type { Clock } from '../ports/clock.js';
import type { WakeSource } from '../ports/wake-source.js';

export class WakeDesk {
  readonly #sources: readonly WakeSource[];
  readonly #clock: Clock;
  readonly #lastAt = new Map<WakeSource, number>();
  #starts: readonly Promise<void>[] = [];

  constructor(sources: readonly WakeSource[], clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** Not awaited: a stream that does not answer must not keep a stop waiting. */
  start(wake: (kind: WakeKind) => void, onFault: (error: unknown) => void): void {
    this.#starts = this.#sources.map((source) =>
      source.start((kind) => {
        this.#lastAt.set(source, this.#clock.now());
        wake(kind);
      }),
    );
    for (const start of this.#starts) start.catch(onFault);
  }

  /** Twice: the first stop calls off a start that is under way, the second ends what it had begun all the same. */
  async stop(): Promise<void> {
    const stopAll = () => Promise.all(this.#sources.map((source) => source.stop()));
    await stopAll();
    await Promise.allSettled(this.#starts);
    await stopAll();
  }

  get reports(): WakeReport[] {
    return this.#sources.map((source) => ({
      name: source.name,
      connected: source.connected(),
      announces: source.announces(),
      lastAt: this.#lastAt.get(source),
      address: undefined,
      since: undefined,
      ...source.facts?.(),
    }));
  }
}
