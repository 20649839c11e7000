// What the worker is told: the settings it needs, already checked, durations in ms.
import type { Admission } from '../domain/addressing.js';
import type { BackoffLimits } from '../domain/backoff.js';
import type { Budgets } from '../domain/budget.js';
import type { ChannelRule } from '../domain/channel.js';
import type { LoopLimit } from '../domain/loop-guard.js';
import type { RetryLimits } from '../domain/retry.js';
import type { SessionLimits } from '../domain/session-care.js';
import type { Delivery } from '../domain/verdict.js';

/**
 * Given to each of its pieces as one object, in which `Worker.renew` puts new values: a piece reads what it needs where
 * it needs it, and keeps no copy.
 */
export interface WorkerOptions {
  /** The inbox's name, for people. */
  readonly inbox: string;
  /** Of this program, for people. */
  readonly version: string;
  /** The agent's folder, for people. */
  readonly folder: string;
  readonly slot: number;
  readonly delivery: Delivery;
  readonly tickPrompt: string;
  /** What a `pull` turn sees. `all` mixes what different senders wrote. */
  readonly pullScope: 'conversation' | 'all';
  readonly memory: { readonly exchanges: number; readonly chars: number };
  readonly maxInlineChars: number;
  readonly backoff: BackoffLimits;
  readonly retry: RetryLimits;
  readonly maxAttempts: number;
  /** Longest time without a frame. */
  readonly silenceMs: number;
  /** Longest time without a frame while a built-in tool runs. */
  readonly toolMs: number;
  /** Longest time without a frame while a tool of an MCP server runs. */
  readonly mcpToolMs: number;
  /** Longest turn. */
  readonly turnLimitMs: number;
  /** `conversation`: one session a conversation; `continuous`: one for all; `fresh`: one a turn. */
  readonly session: 'conversation' | 'continuous' | 'fresh';
  readonly sessionLimits: SessionLimits;
  readonly maxTurns: number | 'unlimited';
  readonly budgets: Budgets;
  readonly loop: LoopLimit;
  /** What becomes of a send that may or may not have arrived. */
  readonly onUnsure: 'hold' | 'resend';
  /** Sent to the sender of a message that failed for good; undefined: nothing is sent. */
  readonly deadNotice: string | undefined;
  /** What a sender is told, once, who has waited that long; undefined: nothing. */
  readonly waitNotice?: { readonly afterMs: number; readonly text: string } | undefined;
  readonly sendTo: readonly string[] | 'anyone';
  readonly admission: Admission;
  readonly channels: ChannelRule;
  readonly drainMs: number;
}
