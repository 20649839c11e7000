// The plan of a story: who writes when, how the worker is set, and what goes wrong. All of it follows from the seed.
import type { Budgets } from '../../src/domain/budget.js';
import type { ChannelRule } from '../../src/domain/channel.js';
import type { TurnFailure } from '../../src/domain/turn.js';
import type { WakeKind } from '../../src/domain/wake.js';

/** All instants are ms since the story's beginning. */
export interface Plan {
  readonly seed: number;
  readonly setting: Setting;
  readonly mail: readonly Mail[];
  readonly faults: readonly Fault[];
  /** From here on nothing goes wrong any more, and all must come to its end. */
  readonly healAt: number;
}

export interface Setting {
  readonly upstream: 'peek' | 'drain';
  readonly idempotent: boolean;
  readonly onUnsure: 'hold' | 'resend';
  readonly delivery: 'inline' | 'pull';
  /** With `pull`: one turn sees all that waits. */
  readonly pullScope: 'conversation' | 'all';
  readonly session: 'conversation' | 'continuous' | 'fresh';
  readonly channels: ChannelRule;
  readonly maxAttempts: number;
  readonly maxTurns: number | 'unlimited';
  readonly budget: 'none' | keyof Budgets;
  readonly loopTurns: number | 'unlimited';
  readonly sessionTurns: number | 'unlimited';
  /** Senders who wait long are told that their message has come in. */
  readonly waitNotice: boolean;
  readonly maxChars: number;
  readonly deadNotice: boolean;
  readonly minSleepMs: number;
  /** A wake source says that it is connected, so the sleeps grow long. */
  readonly live: boolean;
  /** `runOnce` by a timer instead of `run`. */
  readonly once: boolean;
  /** The agent uses its tools; otherwise it answers every turn with a plain text. */
  readonly lively: boolean;
  /** The agent tells at the first frame that its session holds the prompt; older ones never do. */
  readonly tellsSession: boolean;
}

export interface Mail {
  readonly at: number;
  readonly conversation: string;
  readonly sender: string;
  readonly kind: 'agent' | 'system';
  readonly long: boolean;
  /** It names the agent. */
  readonly mention: boolean;
  /** A wake that is lost is not here; one that is doubled is here twice. */
  readonly wakes: readonly { readonly afterMs: number; readonly kind: WakeKind }[];
}

export type InboxTrouble = 'down' | 'unauthorised' | 'rate-limited' | 'unrecognised' | 'hangs';
export type CallTrouble = InboxTrouble | 'lost' | 'unheard' | 'refused';

/** What a turn does that it should not. */
export type TurnTrouble =
  | { readonly how: 'fails'; readonly failure: TurnFailure; readonly untilMs?: number }
  | { readonly how: 'dies' | 'silent' | 'endless' | 'empty' | 'slow' };

export type Fault =
  /** The worker dies at the nth passing of a point. */
  | { readonly kind: 'crash'; readonly point: string; readonly nth: number; readonly downMs: number }
  | { readonly kind: 'kill'; readonly at: number; readonly downMs: number }
  | {
      readonly kind: 'stop';
      readonly at: number;
      readonly how: 'drain' | 'force';
      readonly thenForceMs: number | undefined;
      readonly downMs: number;
    }
  /** The worker's process stands still, and goes on as if nothing had been. */
  | { readonly kind: 'freeze'; readonly at: number; readonly forMs: number }
  /** A second worker on another machine wants the inbox. */
  | { readonly kind: 'rival'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'jump'; readonly at: number; readonly byMs: number }
  | { readonly kind: 'inbox'; readonly at: number; readonly forMs: number; readonly how: InboxTrouble }
  | { readonly kind: 'call'; readonly call: string; readonly nth: number; readonly how: CallTrouble }
  | { readonly kind: 'store'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'store-call'; readonly call: string; readonly nth: number }
  | { readonly kind: 'slow-store'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'pause'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'flag'; readonly at: number; readonly flag: 'did-work' | 'clear-session' | 'stop' }
  | {
      readonly kind: 'turn';
      readonly nth: number;
      readonly trouble: TurnTrouble;
      /** What it does with its tools before. */
      readonly first: 'nothing' | 'interim' | 'reply' | 'other';
    }
  | { readonly kind: 'not-ready'; readonly at: number; readonly forMs: number; readonly hangs: boolean }
  | { readonly kind: 'unusable'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'lost-sessions'; readonly at: number }
  | { readonly kind: 'child-dies'; readonly at: number }
  | { readonly kind: 'wakes'; readonly at: number; readonly times: number; readonly wake: WakeKind };

/** How a fault reads in a story. */
export function describeFault(fault: Fault): string {
  const { kind, ...rest } = fault;
  const words = Object.entries(rest).map(([key, value]) => {
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return key === 'at' ? `at ${clockOf(Number(value))}` : `${key} ${shown}`;
  });
  return `${kind}: ${words.join(', ')}`;
}

/** `h:mm:ss.mmm` since the beginning. */
export function clockOf(ms: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const sign = ms < 0 ? '-' : '';
  const abs = Math.abs(ms);
  const milli = String(Math.floor(abs % 1000)).padStart(3, '0');
  return `${sign}${Math.floor(abs / 3_600_000)}:${two((abs / 60_000) % 60)}:${two((abs / 1000) % 60)}.${milli}`;
}
