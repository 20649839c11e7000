// What a worker would do next, and why: the answer to `inbox-worker next`.
import type { Decision } from './decide.js';
import type { Hold } from './hold.js';

export interface Preview {
  /** When this was seen, epoch ms. */
  readonly at: number;
  /**
   * `answer`: the first of `next` that nothing holds back is taken at once. `nothing`: nobody waits for an answer now.
   * `hold`: not before `until`. `turn`: one runs; what follows comes after it. `end`: the run is over.
   */
  readonly does: 'answer' | 'nothing' | 'hold' | 'turn' | 'end';
  /** One sentence. */
  readonly why: string;
  /** When that changes by itself, epoch ms, where it is known. */
  readonly until: number | undefined;
  readonly hold: Hold | undefined;
  /** In the order in which they would be taken. */
  readonly next: readonly UpcomingTurn[];
  /** More conversations wait than are listed. */
  readonly more: boolean;
  /** Delivery `pull` with scope `all`: one turn takes all that may go. */
  readonly together: boolean;
  /** When the inbox is looked at next, epoch ms; undefined where no worker runs. */
  readonly nextLookAt: number | undefined;
}

/** A turn as it would be, as things stand. */
export interface UpcomingTurn {
  readonly conversation: string;
  /** Undefined while nothing of it was claimed. */
  readonly claimId: string | undefined;
  readonly messages: readonly UpcomingMessage[];
  /** Which attempt it would be, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly lastError: string | undefined;
  /** When its retry falls due, epoch ms; undefined for what may go at once. */
  readonly dueAt: number | undefined;
  /** What holds this conversation back, or ends it, when its turn comes. */
  readonly cap:
    | { readonly kind: 'rest' | 'dead'; readonly why: string; readonly until: number | undefined }
    | undefined;
  /** `continue`: the session's history is thought to hold the prompt; else it is sent in full. */
  readonly prompt: 'full' | 'continue';
  /** The session it goes on in; undefined for a new one. */
  readonly sessionId: string | undefined;
}

/** No text, only how long it is. */
export interface UpcomingMessage {
  readonly id: string;
  readonly sender: string;
  readonly chars: number;
  readonly spooledAt: number;
}

/** Why the run would end instead, as a sentence. */
export function endSentence(reason: Extract<Decision, { kind: 'end' }>['reason'], spent?: string): string {
  switch (reason) {
    case 'quiet':
      return 'The worker is stopping.';
    case 'done':
      return 'The task is done: the run ends.';
    case 'max-iterations':
      return 'The cap of turns is reached: the run ends.';
    case 'over-budget':
      return spent ?? 'The budget of this run is spent: the run ends.';
  }
}
