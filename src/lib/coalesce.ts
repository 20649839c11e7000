// Runs one thing at a time, and merges what is asked for meanwhile into one more run.

export interface Coalesced {
  /** Asks for a run, begun after the current call stack. However many ask during a run, one more follows. */
  request(): void;
  /** Resolves when no run is under way or asked for. */
  idle(): Promise<void>;
}

/** @param run must not reject: nobody waits for it. */
export function coalesced(run: () => Promise<void>): Coalesced {
  let wanted = false;
  let current: Promise<void> | undefined;

  const loop = async (): Promise<void> => {
    await Promise.resolve();
    while (wanted) {
      wanted = false;
      await run();
    }
    current = undefined;
  };

  return {
    request() {
      wanted = true;
      current ??= loop();
    },
    async idle() {
      await current;
    },
  };
}
