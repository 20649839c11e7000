// Session care: a history that has grown too long is ended before it fails, and its memory carried over.

/** What a session has come to. */
export interface SessionWear {
  readonly turns: number;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Tokens of its history, as far as known. */
  readonly contextTokens: number;
}

export interface SessionLimits {
  readonly turns: number | 'unlimited';
  readonly ageMs: number | 'unlimited';
  readonly contextTokens: number | 'unlimited';
}

export function freshWear(now: number): SessionWear {
  return { turns: 0, startedAt: now, contextTokens: 0 };
}

export function afterTurn(wear: SessionWear, contextTokens: number | undefined): SessionWear {
  return { ...wear, turns: wear.turns + 1, contextTokens: contextTokens ?? wear.contextTokens };
}

/** Should the next turn begin a new session? */
export function isWorn(wear: SessionWear, limits: SessionLimits, now: number): boolean {
  return (
    reached(wear.turns, limits.turns) ||
    reached(now - wear.startedAt, limits.ageMs) ||
    reached(wear.contextTokens, limits.contextTokens)
  );
}

function reached(value: number, limit: number | 'unlimited'): boolean {
  return limit !== 'unlimited' && value >= limit;
}
