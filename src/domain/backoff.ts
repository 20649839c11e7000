// Idle backoff: how long to sleep when the inbox is quiet.

export interface BackoffLimits {
  /** All in ms. */
  readonly minMs: number;
  readonly stepMs: number;
  readonly maxMs: number;
  /** The ceiling while no live wake source is proven; undefined when MAX was set on purpose. */
  readonly unprovenMaxMs: number | undefined;
}

export type Pulse = 'mail' | 'settled' | 'did-work' | 'empty' | 'failed';

/** The next idle sleep: mail and finished work start again at MIN, an empty look adds STEP up to MAX. */
export function nextSleepMs(currentMs: number, pulse: Pulse, limits: BackoffLimits): number {
  if (pulse === 'failed') return withinLimits(currentMs, limits);
  if (pulse !== 'empty') return limits.minMs;
  return withinLimits(currentMs + limits.stepMs, limits);
}

export function withinLimits(sleepMs: number, limits: BackoffLimits): number {
  return Math.max(limits.minMs, Math.min(limits.maxMs, sleepMs));
}

/** The sleep as it is really slept: bounded while nothing has proven that it would wake us. */
export function effectiveSleepMs(sleepMs: number, live: boolean, limits: BackoffLimits): number {
  if (live || limits.unprovenMaxMs === undefined) return sleepMs;
  return Math.min(sleepMs, limits.unprovenMaxMs);
}
