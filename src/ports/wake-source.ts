// Where wakes come from.
import type { WakeKind } from '../domain/wake.js';

/** What a person wants to know of a source besides its name. */
export interface WakeSourceFacts {
  /** Where it listens, or what it is connected to; no secret in it. */
  readonly address?: string | undefined;
  /** Since when it is connected, epoch ms. */
  readonly since?: number | undefined;
}

export interface WakeSource {
  readonly name: string;
  /** Begins to call `wake`. Resolves when it listens, or when it has said why it cannot (a degradation, not an error). */
  start(wake: (kind: WakeKind) => void): Promise<void>;
  /** Proven to be connected right now. A webhook cannot know and says false. */
  connected(): boolean;
  /** Is meant to announce mail, so that mail found without it is a missed wake: a stream, a webhook in use. */
  announces(): boolean;
  /** For status; left out where there is nothing to tell. */
  facts?(): WakeSourceFacts;
  /** Ends it and frees its port or connection. Never rejects. */
  stop(): Promise<void>;
}
