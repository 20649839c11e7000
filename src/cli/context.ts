// What every command is given: where it runs, where it prints, and the signals that were latched first.
import type { SignalLatch } from '../lib/signal-latch.js';

export interface CliContext {
  readonly signals: SignalLatch;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Results go here, a line at a time. */
  out(line: string): void;
  /** Everything else. */
  err(line: string): void;
  /** The version of this package. */
  readonly version: string;
  /** How to call this program from here, for sentences that tell what to type. */
  readonly self: string;
}
