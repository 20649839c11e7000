// The tables as Kysely sees them: ids are text or whole numbers, instants epoch ms, truths 0 or 1.
import type { Kysely } from 'kysely';
import type { IncomingMessage, MessageState } from '../domain/message.js';
import type { OutboxState, SendKind } from '../domain/outbox.js';

export interface Tables {
  messages: MessagesTable;
  claims: ClaimsTable;
  steps: StepsTable;
  outbox: OutboxTable;
  turns: TurnsTable;
  slots: SlotsTable;
  lease: LeaseTable;
  deliveries: DeliveriesTable;
}

/** A database or a transaction in it. */
export type Db = Kysely<Tables>;

export interface MessagesTable {
  /** The upstream's id. */
  id: string;
  /** Order of arrival; clocks may jump, this does not. */
  seq: number;
  conversation: string;
  sender: string;
  text: string;
  reply_to: string | null;
  sent_at: number | null;
  kind: IncomingMessage['kind'];
  state: MessageState;
  spooled_at: number;
  claim_id: string | null;
  settled_at: number | null;
  /** 1: it fell silent because a person dropped it. */
  dropped: number;
}

export interface ClaimsTable {
  id: string;
  /** Order of first opening. */
  seq: number;
  conversation: string;
  slot: number;
  state: 'open' | 'retry' | 'settled';
  attempts: number;
  retry_at: number | null;
  last_error: string | null;
  /** The session of the attempt that runs now. */
  session_id: string | null;
  /** The four of the attempt before; all null while there was none. */
  before_session_id: string | null;
  before_prompt_kept: number | null;
  before_rescued: number | null;
  before_error: string | null;
  opened_at: number;
  settled_at: number | null;
  settled_as: 'answered' | 'silent' | 'dead' | null;
  /** Re-opened by hand then, and waiting, as `settled`, for another claim of its conversation to end. */
  reopened_at: number | null;
}

/** One line a change of a claim: what `show` tells as the life of its messages. */
interface StepsTable {
  claim_id: string;
  seq: number;
  state: MessageState;
  at: number;
  note: string | null;
}

export interface OutboxTable {
  id: number;
  /** Id of the first part of the same send: what holds its parts together. */
  send_id: number;
  claim_id: string | null;
  idempotency_key: string;
  target: string;
  /** The conversation it belongs to, which its target may spell otherwise. */
  conversation: string;
  text: string;
  kind: SendKind;
  ordinal: number;
  part: number;
  state: OutboxState;
  reply_to_id: string | null;
  upstream_id: string | null;
  queued_at: number;
  sent_at: number | null;
  attempts: number;
  retry_at: number | null;
  last_error: string | null;
}

export interface TurnsTable {
  id: string;
  seq: number;
  claim_id: string;
  conversation: string;
  slot: number;
  session_id: string | null;
  started_at: number;
  prompt_bytes: number;
  ended_at: number | null;
  verdict: string | null;
  outcome: string | null;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  model_calls: number;
}

export interface SlotsTable {
  slot: number;
  pid: number | null;
  process_start: string | null;
  session_id: string | null;
  conversation: string | null;
  session_turns: number | null;
  session_started_at: number | null;
  session_tokens: number | null;
}

export interface LeaseTable {
  /** Always 1: one inbox, one lease. The row stays when the lease is given back, so that the generation only grows. */
  id: number;
  owner: string;
  generation: number;
  heartbeat_at: number;
  acquired_at: number;
  released_at: number | null;
  /** Names the last write, where the answer to a commit may be lost. */
  last_write: string | null;
  host: string;
  boot_id: string;
  pid_namespace: string;
  pid: number;
  process_start: string;
  folder: string;
}

interface DeliveriesTable {
  id: string;
  seq: number;
  seen_at: number;
}
