// Time, handed in: nothing above this port reads a clock or sets a timer by itself.

export interface Clock {
  /** Epoch ms. May jump: the machine suspends, somebody sets the time. */
  now(): number;
  /**
   * Resolves at or after the instant `at` (epoch ms, absolute: it survives a suspended machine), or as soon as
   * `signal` aborts. Never rejects. An instant in the past resolves at once.
   */
  sleepUntil(at: number, signal: AbortSignal): Promise<void>;
}
