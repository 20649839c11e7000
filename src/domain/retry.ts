// Retry delay: how long to wait after a failure.

export interface RetryLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * base × 2ⁿ up to max, jittered to between 75 % and 100 % of that.
 * @param failures failures so far, counting this one (1 = the first)
 * @param random a number in [0, 1)
 */
export function retryDelayMs(failures: number, limits: RetryLimits, random: number): number {
  const full = Math.min(limits.maxMs, limits.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(full * (0.75 + 0.25 * random));
}
