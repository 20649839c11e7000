// When a healthy process is replaced between two turns all the same: it has grown, aged, or is not what is installed.
import { statSync } from 'node:fs';
import { residentBytes } from '../lib/process-memory.js';
import type { Clock } from '../ports/clock.js';

/** Each may be left out: then that reason never comes up. */
export interface RecycleLimits {
  /** Resident memory, bytes. */
  readonly memoryBytes?: number | undefined;
  /** Since its start, ms. */
  readonly ageMs?: number | undefined;
  readonly turns?: number | undefined;
}

/** The wall clock ran that much further than the machine: it was suspended, and sockets are dead without knowing. */
const SUSPENDED_MS = 60_000;

export interface FatigueOptions {
  readonly pid: number | undefined;
  /** The program's file: an updater may put another one in its place. */
  readonly file: string;
  readonly limits: RecycleLimits;
  readonly clock: Clock;
  /** A clock that stands still while the machine is suspended, ms. */
  readonly uptime?: () => number;
}

export class Fatigue {
  turns = 0;
  /** May be others from one moment to the next. */
  limits: RecycleLimits;
  readonly #options: FatigueOptions;
  readonly #startedAt: number;
  readonly #fingerprint: string | undefined;
  #seen: { readonly wall: number; readonly machine: number };

  constructor(options: FatigueOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.#startedAt = options.clock.now();
    this.#fingerprint = fingerprint(options.file);
    this.#seen = this.#clocks();
  }

  /** Why the process should go now, as the end of a sentence; undefined while it may stay. */
  reason(): string | undefined {
    const { pid, file } = this.#options;
    const { limits } = this;
    const before = this.#seen;
    this.#seen = this.#clocks();
    const slept = this.#seen.wall - before.wall - (this.#seen.machine - before.machine);
    if (slept > SUSPENDED_MS) return `the machine was suspended for about ${Math.round(slept / 1000)} s`;
    if (limits.turns !== undefined && this.turns >= limits.turns) return `it has run ${this.turns} turns`;
    const ageMs = this.#seen.wall - this.#startedAt;
    if (limits.ageMs !== undefined && ageMs >= limits.ageMs) {
      return `it is ${(ageMs / 3_600_000).toFixed(1)} h old`;
    }
    const bytes = limits.memoryBytes === undefined ? undefined : residentBytes(pid);
    if (bytes !== undefined && limits.memoryBytes !== undefined && bytes >= limits.memoryBytes) {
      return `it has grown to ${Math.round(bytes / 1024 / 1024)} MB`;
    }
    // A file that is missing just now is being replaced: next time.
    const now = fingerprint(file);
    return now !== undefined && now !== this.#fingerprint ? 'its program was updated' : undefined;
  }

  #clocks(): { wall: number; machine: number } {
    const machine = this.#options.uptime ?? (() => performance.now());
    return { wall: this.#options.clock.now(), machine: machine() };
  }
}

function fingerprint(file: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}/${size}/${mtimeMs}`;
  } catch {
    return undefined;
  }
}
