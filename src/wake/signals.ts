// SIGUSR1 as a wake: `kill -USR1 PID` means "look now".
import type { WakeSource } from '../ports/wake-source.js';

/** Kept by the very first lines of the program: an unhandled SIGUSR1 would open Node's debugger. */
export interface SignalLatch {
  /** Calls `heard` at each such signal, at once if one came before anybody listened. Replaces the last listener. */
  onSignal(name: 'SIGUSR1', heard: () => void): void;
}

export function processSignals(latch: SignalLatch): WakeSource {
  return {
    name: 'signal',
    start: async (wake) => latch.onSignal('SIGUSR1', () => wake('signal')),
    connected: () => false,
    announces: () => false,
    // The latch keeps the signal handled until the process ends: only nobody is told any more.
    stop: async () => latch.onSignal('SIGUSR1', () => {}),
  };
}
