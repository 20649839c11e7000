// What happens, told to whoever listens: logs, ledger file, rehearsal, metrics.
import type { Hold } from '../domain/hold.js';
import type { OutboxState, SendKind } from '../domain/outbox.js';
import type { TurnOutcome, TurnReason, Usage } from '../domain/turn.js';
import type { Verdict } from '../domain/verdict.js';
import type { WakeKind, WebhookRefusal } from '../domain/wake.js';
import type { TurnProgress } from './agent.js';
import type { LookOutcome } from './upstream.js';

/** Events never carry a message body; `text` fields are our own sentences. */
export type WorkerEvent =
  | { readonly type: 'started'; readonly inbox: string; readonly folder: string }
  /** Another worker holds the inbox, and we wait for it. Told once, before `started`. */
  | { readonly type: 'standing-by'; readonly text: string }
  /** `late`: the mail it announces had just been found without it. */
  | { readonly type: 'woken'; readonly kind: WakeKind; readonly late?: boolean }
  | { readonly type: 'look-began'; readonly wokenBy: readonly WakeKind[] }
  | {
      readonly type: 'looked';
      readonly fresh: number;
      readonly known: number;
      readonly wokenBy: readonly WakeKind[];
      readonly missed: boolean;
      readonly nextAt: number;
      readonly durationMs: number;
    }
  | {
      readonly type: 'look-failed';
      readonly outcome: Exclude<LookOutcome['kind'], 'looked'>;
      readonly text: string;
      readonly nextAt: number;
      readonly durationMs: number;
    }
  /** Something happened that makes mail likely: the next look is sooner than the last one said. */
  | { readonly type: 'look-due'; readonly nextAt: number }
  | { readonly type: 'hold-began'; readonly hold: Hold }
  | { readonly type: 'hold-ended'; readonly hold: Hold; readonly at: number }
  | {
      readonly type: 'turn-began';
      readonly claimId: string;
      readonly turnId: string;
      readonly conversation: string;
      readonly messages: number;
      /** When each of them came to our disk, oldest first. */
      readonly spooledAt: readonly number[];
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
      readonly verdict: Verdict['kind'];
      /** How it ended, in one sentence. */
      readonly outcome: string;
      /** The same for machines: what kind of end, and where there is one, its reason. */
      readonly ending: TurnOutcome['kind'];
      readonly reason: TurnReason | undefined;
      /** The model that answered, where a frame has named one. */
      readonly model: string | undefined;
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
  | (SendFacts & { readonly type: 'sent'; readonly upstreamId: string | undefined })
  | (SendFacts & {
      readonly type: 'send-failed';
      readonly state: Exclude<OutboxState, 'sending' | 'sent'>;
      readonly text: string;
    })
  | {
      readonly type: 'rescued';
      readonly claimId: string;
      readonly conversation: string;
      readonly messages: number;
      readonly verdict: Exclude<Verdict['kind'], 'silent'>;
      readonly how: string;
    }
  /** A cap of its own kept a conversation from its turn: it waits until then, or is given up. */
  | {
      readonly type: 'capped';
      readonly claimId: string;
      readonly conversation: string;
      readonly messages: number;
      readonly verdict: 'retry' | 'dead';
      readonly why: string;
      readonly until: number | undefined;
    }
  | { readonly type: 'webhook-refused'; readonly reason: WebhookRefusal }
  | { readonly type: 'agent-ready'; readonly sessionId: string | undefined; readonly pid: number | undefined }
  | { readonly type: 'agent-not-ready'; readonly text: string }
  | { readonly type: 'notice'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly type: 'stopping'; readonly how: 'drain' | 'force'; readonly text: string }
  | { readonly type: 'stopped'; readonly text: string };

/** One try to hand one part of a text to the inbox. */
interface SendFacts {
  /** Undefined for a notice that belongs to no claim. */
  readonly claimId: string | undefined;
  readonly to: string;
  readonly kind: SendKind;
  readonly part: number;
  readonly queuedAt: number;
  /** How long the inbox took to answer. */
  readonly durationMs: number;
}

/** What somebody wrote to us, or was sent: no event ever holds it, and only who was asked to hears it. */
export interface Words {
  readonly direction: 'in' | 'out';
  /** Who wrote it, or whom it went to. */
  readonly who: string;
  readonly conversation: string;
  /** The upstream's id, where there is one. */
  readonly id: string | undefined;
  readonly text: string;
}

export interface Observer {
  /** Must not throw and must not wait. */
  on(event: WorkerEvent): void;
}
