// Where wakes come from.
import type { WakeKind } from '../domain/wake.js';

export interface WakeSource {
  readonly name: string;
  /** Begins to call `wake`. Resolves when it listens, or when it has said why it cannot (a degradation, not an error). */
  start(wake: (kind: WakeKind) => void): Promise<void>;
  /** Proven to be connected right now. A webhook cannot know and says false. */
  connected(): boolean;
  /** Is meant to announce mail, so that mail found without it is a missed wake: a stream, a webhook in use. */
  announces(): boolean;
  /** Ends it and frees its port or connection. Never rejects. */
  stop(): Promise<void>;
}
