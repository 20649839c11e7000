// Signals caught from the first moment and kept until somebody says what they mean.

type Handler = (signal: NodeJS.Signals) => void;

export interface SignalLatch {
  /** From now on `handler` gets this signal; what came before is handed over at once. */
  claim(signal: NodeJS.Signals, handler: Handler): void;
  /** Gives the signal its default meaning again, and applies it if it has come meanwhile. */
  release(signal: NodeJS.Signals): void;
}

/**
 * Catches `signals` at once. An uncaught SIGUSR1 opens Node's debugger, and a SIGTERM during start-up would end a
 * half-made worker: so this runs before anything else is imported.
 */
export function latchSignals(signals: readonly NodeJS.Signals[]): SignalLatch {
  const pending = new Set<NodeJS.Signals>();
  const handlers = new Map<NodeJS.Signals, Handler>();
  const onSignal: Handler = (signal) => {
    const handler = handlers.get(signal);
    if (handler) handler(signal);
    else pending.add(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    claim(signal, handler) {
      handlers.set(signal, handler);
      if (pending.delete(signal)) handler(signal);
    },
    release(signal) {
      handlers.delete(signal);
      process.removeListener(signal, onSignal);
      if (pending.delete(signal)) process.kill(process.pid, signal);
    },
  };
}
