// Holds: states in which no turn starts, each with a reason and, where known, an end.

export const HOLD_REASONS = [
  'limited',
  'credit-exhausted',
  'over-budget',
  'max-iterations',
  'paused',
  'agent-unauthorised',
  'inbox-unauthorised',
  'inbox-down',
  'agent-not-ready',
  'disk-full',
  'store-down',
  'lease-lost',
  'done',
] as const;

export type HoldReason = (typeof HOLD_REASONS)[number];

export interface Hold {
  readonly reason: HoldReason;
  /** One sentence: why, and what to do where something can be done. */
  readonly why: string;
  readonly since: number;
  /** When it ends by itself, epoch ms; undefined when something must happen first. */
  readonly until: number | undefined;
}

/** A quiet or refusing inbox does not stop what is already on our disk from being answered. */
const LOOK_ONLY: readonly HoldReason[] = ['inbox-down', 'inbox-unauthorised'];

/** Holds by reason. Immutable: `place` and `lift` answer a new one. */
export type Holds = ReadonlyMap<HoldReason, Hold>;

export const NO_HOLDS: Holds = new Map();

/** Places or renews a hold; a renewed one keeps its beginning. */
export function place(holds: Holds, hold: Hold): Holds {
  const next = new Map(holds);
  next.set(hold.reason, { ...hold, since: holds.get(hold.reason)?.since ?? hold.since });
  return next;
}

export function lift(holds: Holds, reason: HoldReason): Holds {
  const next = new Map(holds);
  next.delete(reason);
  return next;
}

/** The hold that keeps turns from starting at `now`; of several, the one that ends last. */
export function blocking(holds: Holds, now: number): Hold | undefined {
  return [...holds.values()]
    .filter((hold) => !LOOK_ONLY.includes(hold.reason) && (hold.until ?? Infinity) > now)
    .sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity))[0];
}
