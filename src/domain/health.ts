// How a worker stands, judged from facts in memory alone: whoever asks need not wait for anything.
import { blocking, type HoldReason, type Holds } from './hold.js';
import type { Health } from './status.js';

export interface HealthFacts {
  readonly now: number;
  readonly holds: Holds;
  readonly startedAt: number;
  readonly stopping: boolean;
  readonly look: {
    readonly lastAt: number | undefined;
    readonly lastSuccessAt: number | undefined;
    readonly nextAt: number | undefined;
  };
  readonly turn: { readonly conversation: string; readonly lastFrameAt: number } | undefined;
  /** Longest time without a sign of life that a turn may have. */
  readonly silenceMs: number;
}

export interface Standing {
  readonly health: Health;
  /** One sentence. */
  readonly why: string;
  /** When it changes by itself, epoch ms, where that is known: the end of a hold, the next look. */
  readonly until: number | undefined;
}

/** No look succeeded for this long: we may be deaf, whatever the process thinks. */
const DEAF_MS = 10 * 60_000;

export function judgeHealth(facts: HealthFacts): Standing {
  const { now, turn, silenceMs, look } = facts;
  if (turn) {
    const silentMs = now - turn.lastFrameAt;
    // Twice the limit: the watchdog acts at the limit itself, so only a failing watchdog gets here.
    return silentMs > silenceMs * 2
      ? {
          health: 'stuck',
          why: `No sign of life from Claude for ${Math.round(silentMs / 1000)} s.`,
          until: undefined,
        }
      : { health: 'working', why: `Answering ${turn.conversation}.`, until: undefined };
  }
  const hold = blocking(facts.holds, now) ?? [...facts.holds.values()].find(({ until }) => lasts(until, now));
  if (hold) return { health: hold.reason, why: hold.why, until: hold.until };
  if (isDeaf(facts)) {
    return {
      health: 'deaf',
      why: 'No look at the inbox has succeeded for a long time.',
      until: undefined,
    };
  }
  return { health: 'idle', why: 'Waiting for a message.', until: look.nextAt };
}

function isDeaf({ now, startedAt, look }: HealthFacts): boolean {
  const sleepMs = look.nextAt === undefined ? 0 : Math.max(0, look.nextAt - (look.lastAt ?? now));
  return now - (look.lastSuccessAt ?? startedAt) > DEAF_MS + sleepMs;
}

const lasts = (until: number | undefined, now: number): boolean => (until ?? Infinity) > now;

/** By design, and meant to end: a pause, a limit, a budget. While any other hold stands, nobody is served. */
const BY_DESIGN: readonly HoldReason[] = ['limited', 'over-budget', 'paused'];

/** What a load balancer is told: may it count on this worker, and one word. */
export interface Fitness {
  readonly ok: boolean;
  readonly status: 'ok' | 'starting' | 'stopping' | Health;
}

/** Stricter than `judgeHealth`: a turn that still runs does not hide that the inbox is gone. */
export function judgeFitness(facts: HealthFacts): Fitness {
  if (facts.stopping) return { ok: false, status: 'stopping' };
  const standing = [...facts.holds.values()].filter(({ until }) => lasts(until, facts.now));
  const trouble = standing.find(({ reason }) => !BY_DESIGN.includes(reason));
  if (trouble) return { ok: false, status: trouble.reason };
  const { health } = judgeHealth(facts);
  if (health === 'stuck') return { ok: false, status: health };
  if (isDeaf(facts)) return { ok: false, status: 'deaf' };
  if (facts.look.lastSuccessAt === undefined) return { ok: false, status: 'starting' };
  return { ok: true, status: health === 'idle' || health === 'working' ? 'ok' : health };
}
