// The agent: one Claude Code process per slot, kept warm.

import type { WorkerError } from '../domain/errors.js';
import type { TurnOutcome } from '../domain/turn.js';

/** The session the next turn is to run in. */
export type SessionWish =
  /** A new conversation, with nothing of the last one in its history. */
  | { readonly kind: 'fresh' }
  /** This session, resumed if the process does not hold it. */
  | { readonly kind: 'same'; readonly sessionId: string };

export type ReadyOutcome =
  /**
   * `sessionId` is the session that is held, undefined while a fresh one has no id yet.
   * `resumed: false` on a wish for `same` means that session is gone and a fresh one was begun.
   */
  | { readonly kind: 'ready'; readonly sessionId: string | undefined; readonly resumed: boolean }
  /** It may work later: the gateway did not connect, the process ended at start. */
  | { readonly kind: 'not-ready'; readonly message: string }
  /** It cannot work until somebody does something: missing, too old, refused as root. */
  | { readonly kind: 'unusable'; readonly error: WorkerError };

export interface TurnRequest {
  readonly prompt: string;
  /** A uuid v4, the turn's name on the wire. */
  readonly id: string;
  /** Time without a frame while the model is to speak, ms. */
  readonly silenceMs: number;
  /** Time without a frame while a built-in tool runs, ms; default as `silenceMs`. */
  readonly toolMs?: number;
  /** Time without a frame while a tool of an MCP server runs, ms; default as `silenceMs`. */
  readonly mcpToolMs?: number;
  /** Time of the whole turn, ms. */
  readonly limitMs: number;
  /** Called at each frame of this turn. */
  onProgress?(progress: TurnProgress): void;
}

export interface TurnProgress {
  readonly sessionId: string | undefined;
  /** Name of the tool that runs now, if one does. */
  readonly tool: string | undefined;
  readonly outputTokens: number;
}

export interface AgentFacts {
  readonly version: string | undefined;
  readonly pid: number | undefined;
  /** Start time of that pid, as the system counts it. */
  readonly processStart: string | undefined;
  readonly sessionId: string | undefined;
}

export interface Agent {
  readonly facts: AgentFacts;

  /**
   * Sees to it that a process is up, has proven ready without a model call, and holds the wished session.
   * May be repeated; never called while a turn runs.
   */
  ready(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome>;

  /**
   * Runs one turn in the session that `ready` prepared. Resolves when the turn is over and the process is either
   * fit for the next one or gone; never rejects. When `signal` aborts, the turn is interrupted, then ended, and
   * the outcome is `interrupted`. Never called twice at once.
   */
  turn(request: TurnRequest, signal: AbortSignal): Promise<TurnOutcome>;

  /** Ends the process: stdin, then SIGTERM, then SIGKILL, within `deadlineMs`. Resolves when it and its tree are gone. */
  stop(deadlineMs: number): Promise<void>;
}
