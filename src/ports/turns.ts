// The open claim, between the gateway (Claude's tool calls) and the worker.
import type { IncomingMessage } from '../domain/message.js';

export interface DmSummary {
  readonly with: string;
  readonly unread: number;
  /** Epoch ms of the newest one. */
  readonly lastAt: number;
}

/** A message as read_dm shows it, from `offset` on. */
export interface DmPiece extends Pick<IncomingMessage, 'id' | 'sender'> {
  readonly text: string;
  readonly at: number;
  /** Where to read on, when the text is longer than one piece. */
  readonly nextOffset: number | undefined;
}

/** A refused call is a value: the gateway turns it into a tool error that Claude can read. */
export type Refused = { readonly kind: 'refused'; readonly message: string };

export interface SendRequest {
  readonly to: string;
  readonly text: string;
  readonly interim: boolean;
}

export interface OpenTurn {
  list(): Promise<DmSummary[]>;
  /** The claimed messages of a conversation; with `id`, that one from `offset` (characters) on. */
  read(request: {
    with: string;
    id?: string | undefined;
    offset?: number | undefined;
  }): Promise<{ kind: 'messages'; messages: DmPiece[] } | Refused>;
  /** Resolves when the send is committed to the outbox. `repeated`: an earlier attempt had sent it; `messageId` is the first one. */
  send(request: SendRequest): Promise<{ kind: 'accepted'; messageId: string; repeated: boolean } | Refused>;
  /** The claim is to end in silence. */
  noReply(): Promise<{ kind: 'noted' } | Refused>;
  /** The task is complete: the session ends with this turn, the conversation's memory stays. */
  taskDone(): Promise<{ kind: 'noted' } | Refused>;
}

export interface Turns {
  /** The open turn that this token is bound to; `closed` outside a claim, `unknown` for a revoked or foreign token. */
  of(token: string): OpenTurn | 'closed' | 'unknown';
}
