// Looks for an inbox that was away when its tools were asked for, until it is back: clients rarely ask again.
import type { Trouble } from './trouble.js';

export interface SeekOptions {
  /** Resolves when the inbox is back; rejects with a Trouble while it is not. */
  attempt(): Promise<unknown>;
  /** The first pause, doubled up to `mostMs`. */
  readonly firstMs?: number;
  readonly mostMs?: number;
  /** The pause while the key is refused: asking more often could only make it worse. */
  readonly refusedMs?: number;
}

export interface Seeker {
  /** Begins, unless it is already under way. */
  start(cause: Trouble): void;
  stop(): void;
}

export function createSeeker(options: SeekOptions): Seeker {
  const { attempt, firstMs = 1_000, mostMs = 30_000, refusedMs = 300_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function plan(cause: Trouble, pauseMs: number): void {
    if (stopped) return;
    const waitMs = cause.kind === 'refused' ? refusedMs : pauseMs;
    timer = setTimeout(() => {
      attempt().then(
        () => {
          timer = undefined;
        },
        (error: Trouble) => plan(error, Math.min(pauseMs * 2, mostMs)),
      );
    }, waitMs);
  }

  return {
    start(cause) {
      if (timer === undefined) plan(cause, firstMs);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
