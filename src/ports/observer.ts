// What happens, told to whoever listens: logs, ledger file, rehearsal, metrics.
import type { Hold } from '../domain/hold.js';
import type { Usage } from '../domain/turn.js';
import type { WakeKind } from '../domain/wake.js';
import type { TurnProgress } from './agent.js';

/** Events never carry a message body; `text` fields are our own sentences. */
export type WorkerEvent =
  | { readonly type: 'started'; readonly inbox: string; readonly folder: string }
  /** Another worker holds the inbox, and we wait for it. Told once, before `started`. */
  | { readonly type: 'standing-by'; readonly text: string }
  | { readonly type: 'woken'; readonly kind: WakeKind }
  | {
      readonly type: 'looked';
      readonly fresh: number;
      readonly known: number;
      readonly wokenBy: readonly WakeKind[];
      readonly missed: boolean;
      readonly nextAt: number;
    }
  | { readonly type: 'look-failed'; readonly outcome: string; readonly text: string }
  | { readonly type: 'hold-began'; readonly hold: Hold }
  | { readonly type: 'hold-ended'; readonly hold: Hold; readonly at: number }
  | {
      readonly type: 'turn-began';
      readonly claimId: string;
      readonly turnId: string;
      readonly conversation: string;
      readonly messages: number;
      readonly attempt: number;
      readonly promptBytes: number;
      readonly mode: 'full' | 'continue';
    }
  | { readonly type: 'turn-progress'; readonly turnId: string; readonly progress: TurnProgress }
  | {
      readonly type: 'turn-ended';
      readonly claimId: string;
      readonly turnId: string;
      readonly conversation: string;
      readonly verdict: string;
      readonly outcome: string;
      readonly usage: Usage;
      readonly durationMs: number;
      readonly sessionId: string | undefined;
    }
  /** The messages of a claim were given up for good; it is on disk. */
  | {
      readonly type: 'dead';
      readonly claimId: string;
      readonly conversation: string;
      /** Their ids. */
      readonly messages: readonly string[];
      /** Those that counted, the last one included. */
      readonly attempts: number;
      readonly error: string;
    }
  | {
      readonly type: 'sent';
      readonly to: string;
      readonly kind: string;
      readonly part: number;
      readonly upstreamId: string | undefined;
    }
  | { readonly type: 'send-failed'; readonly to: string; readonly state: string; readonly text: string }
  | {
      readonly type: 'rescued';
      readonly claimId: string;
      readonly conversation: string;
      readonly how: string;
    }
  | { readonly type: 'agent-ready'; readonly sessionId: string | undefined; readonly pid: number | undefined }
  | { readonly type: 'agent-not-ready'; readonly text: string }
  | { readonly type: 'notice'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly type: 'stopping'; readonly how: 'drain' | 'force'; readonly text: string }
  | { readonly type: 'stopped'; readonly text: string };

export interface Observer {
  /** Must not throw and must not wait. */
  on(event: WorkerEvent): void;
}
