// What a slot must remember over a restart: its child process and its session.
import type { SessionWear } from '../domain/session-care.js';

export interface SlotMemory {
  readonly slot: number;
  /** The Claude Code process we started last, to be ended if it outlived us. */
  readonly pid: number | undefined;
  readonly processStart: string | undefined;
  readonly sessionId: string | undefined;
  /** The conversation that session belongs to. */
  readonly conversation: string | undefined;
  /** What that session has come to. */
  readonly wear: SessionWear | undefined;
}

export interface Slots {
  load(slot: number): Promise<SlotMemory | undefined>;
  save(memory: SlotMemory): Promise<void>;
}
