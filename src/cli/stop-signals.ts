// Ctrl-C, SIGTERM and a terminal that closes, for whatever runs long: the first drains, the second forces.
import { isatty } from 'node:tty';
import type { SignalLatch } from '../lib/signal-latch.js';

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  /** Aborts at the first signal. */
  readonly first: AbortSignal;
  /** Gives the signals back; after a forced stop raises the last one again, so that a supervisor sees the true cause. */
  finish(): void;
}

/**
 * SIGHUP has two meanings. On a terminal it says that the terminal has gone: a stop, like SIGTERM. Where no terminal
 * was at the start (a service, nohup, a pipe) it says what it says to any daemon, and `onHangup` is called instead.
 */
export function stopSignals(
  signals: SignalLatch,
  stop: (how: 'drain' | 'force', signal: NodeJS.Signals) => void,
  onHangup?: () => void,
): StopSignals {
  const first = new AbortController();
  let forcedBy: NodeJS.Signals | undefined;
  const asStop = (signal: NodeJS.Signals): void => {
    const how = first.signal.aborted ? 'force' : 'drain';
    if (how === 'force') forcedBy = signal;
    first.abort();
    stop(how, signal);
  };
  const detached = onHangup && ![0, 1, 2].some((stream) => isatty(stream));
  for (const name of STOPPING) signals.claim(name, name === 'SIGHUP' && detached ? onHangup : asStop);
  return {
    first: first.signal,
    finish() {
      for (const name of STOPPING) signals.release(name);
      if (forcedBy) process.kill(process.pid, forcedBy);
    },
  };
}
