// Ctrl-C and SIGTERM for whatever runs long: the first drains, the second forces and is raised again at the end.
import type { SignalLatch } from '../lib/signal-latch.js';

const STOPPING = ['SIGINT', 'SIGTERM'] as const;

export interface StopSignals {
  /** Aborts at the first signal. */
  readonly first: AbortSignal;
  /** Gives the signals back; after a forced stop raises the last one again, so that a supervisor sees the true cause. */
  finish(): void;
}

export function stopSignals(
  signals: SignalLatch,
  stop: (how: 'drain' | 'force', signal: NodeJS.Signals) => void,
): StopSignals {
  const first = new AbortController();
  let forcedBy: NodeJS.Signals | undefined;
  for (const name of STOPPING) {
    signals.claim(name, (signal) => {
      const how = first.signal.aborted ? 'force' : 'drain';
      if (how === 'force') forcedBy = signal;
      first.abort();
      stop(how, signal);
    });
  }
  return {
    first: first.signal,
    finish() {
      for (const name of STOPPING) signals.release(name);
      if (forcedBy) process.kill(process.pid, forcedBy);
    },
  };
}
