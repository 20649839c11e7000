// The remote inbox: one cheap look, and sending.
import type { IncomingMessage } from '../domain/message.js';

export type LookOutcome =
  | { readonly kind: 'looked' }
  /** Nothing was reachable: network, 5xx, a time limit. */
  | { readonly kind: 'down'; readonly message: string }
  | { readonly kind: 'unauthorised'; readonly message: string }
  /** The upstream asked us to wait. */
  | { readonly kind: 'rate-limited'; readonly message: string; readonly until: number | undefined }
  /** It answered in a shape we do not know; never taken for an empty inbox. */
  | { readonly kind: 'unrecognised'; readonly message: string };

export interface OutgoingMessage {
  readonly to: string;
  readonly text: string;
  readonly replyToId: string | undefined;
  readonly idempotencyKey: string;
}

export type SendOutcome =
  | { readonly kind: 'sent'; readonly upstreamId: string | undefined }
  /** It will never be taken: unknown recipient, filtered, too long. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Certainly not taken; may be tried again, not before `until` where given. */
  | { readonly kind: 'later'; readonly message: string; readonly until: number | undefined }
  | { readonly kind: 'unauthorised'; readonly message: string }
  /** Asked, and no answer heard: it may have arrived. Safe to repeat only where `idempotent`. */
  | { readonly kind: 'unsure'; readonly message: string };

export interface Upstream {
  /** The longest text one send takes, in UTF-16 units. */
  readonly maxChars: number;
  /** True when a repeated idempotency key returns the first answer, so that a send may be repeated. */
  readonly idempotent: boolean;
  /** Our own name there, where known: `@agent`. */
  readonly ownName: string | undefined;
  /** What was last agreed to be spoken, for people: `MCP 2025-11-25`. Undefined before that. */
  readonly protocol?: string | undefined;

  /**
   * Connects if need be, makes one real tool call and settles on the profile.
   * Resolves when the inbox is usable; may be called again at any time.
   */
  check(signal: AbortSignal): Promise<LookOutcome>;

  /**
   * Looks once. `spool` is called with each batch in the order of arrival and must have committed it when it
   * resolves; only then is anything acknowledged upstream, or more asked for. When `spool` rejects, the look
   * rejects with its reason and acknowledges nothing more. May be repeated at any time; never runs twice at once.
   */
  look(
    spool: (batch: readonly IncomingMessage[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<LookOutcome>;

  /** Sends one message. An abort before the request is out resolves `later`, after it `unsure`. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;

  /** Ends the connection and the session on the server. Never rejects. */
  close(): Promise<void>;
}
