// Loop guard: two bots must not thank each other for ever.

export interface LoopLimit {
  /** Answered turns of one conversation within the window. */
  readonly turns: number | 'unlimited';
  readonly windowMs: number;
}

/**
 * Until when a conversation rests, or undefined when it may go on.
 * @param endedAt when its last turns ended, epoch ms, in any order
 */
export function restUntil(endedAt: readonly number[], now: number, limit: LoopLimit): number | undefined {
  if (limit.turns === 'unlimited') return undefined;
  const recent = endedAt.filter((at) => at > now - limit.windowMs && at <= now).toSorted((a, b) => b - a);
  if (recent.length < limit.turns) return undefined;
  // It may go on when so many have left the window that one more fits.
  const oldestThatCounts = recent[limit.turns - 1] ?? now;
  return oldestThatCounts + limit.windowMs;
}
