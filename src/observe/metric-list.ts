// Every metric once: its name, kind, labels with all their values, and what it means. docs/metrics.md is made of this.
import { HOLD_REASONS } from '../domain/hold.js';
import { HEALTH_STATES } from '../domain/status.js';
import { BUCKETS, WORDS } from './metric-words.js';

export interface MetricFacts {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each label with all the values it can have, or with words about them where they are few but not ours. */
  readonly labels?: Readonly<Record<string, readonly string[] | string>>;
  readonly buckets?: readonly number[];
}

/** What happened since the start of the run. */
export const EVENT_METRICS = {
  inbox_worker_wakes_total: {
    type: 'counter',
    help: 'Reasons to look that came, by kind.',
    labels: { kind: WORDS.wakes },
  },
  inbox_worker_missed_wakes_total: {
    type: 'counter',
    help: 'Looks that found mail which a wake source should have announced and did not within 10 s.',
  },
  inbox_worker_looks_total: {
    type: 'counter',
    help: 'Looks at the inbox, by how they ended.',
    labels: { outcome: WORDS.looks },
  },
  inbox_worker_look_duration_seconds: {
    type: 'histogram',
    help: 'How long a look took, until what it found was on disk.',
    buckets: BUCKETS.call,
  },
  inbox_worker_messages_spooled_total: {
    type: 'counter',
    help: 'Messages that were new and committed to our disk.',
  },
  inbox_worker_messages_settled_total: {
    type: 'counter',
    help: 'Messages that came to an end in this run: answered, left silent by the agent, or given up as dead.',
    labels: { state: ['answered', 'silent', 'dead'] },
  },
  inbox_worker_message_wait_seconds: {
    type: 'histogram',
    help: 'From the oldest message of a conversation on our disk until its first turn began.',
    buckets: BUCKETS.wait,
  },
  inbox_worker_reply_latency_seconds: {
    type: 'histogram',
    help: 'From the oldest message of a conversation on our disk until the inbox took the first part of its reply.',
    buckets: BUCKETS.wait,
  },
  inbox_worker_turns_total: {
    type: 'counter',
    help: 'Turns of Claude, by how they ended and by what became of the conversation (the first one, of several).',
    labels: { outcome: WORDS.endings, verdict: WORDS.verdicts },
  },
  inbox_worker_turn_failures_total: {
    type: 'counter',
    help: 'Turns that failed or ran out of time, by reason.',
    labels: { reason: WORDS.reasons },
  },
  inbox_worker_turn_duration_seconds: {
    type: 'histogram',
    help: 'How long a turn took, until it was settled on disk.',
    buckets: BUCKETS.turn,
  },
  inbox_worker_model_calls_total: { type: 'counter', help: 'Calls of the model in turns that have ended.' },
  inbox_worker_tokens_total: {
    type: 'counter',
    help: 'Tokens of turns that have ended; `input` are those neither read from nor written to the cache.',
    labels: { kind: WORDS.tokens },
  },
  inbox_worker_cost_usd_total: {
    type: 'counter',
    help: 'What turns that have ended cost, in US dollars, as Claude Code says.',
  },
  inbox_worker_sends_total: {
    type: 'counter',
    help: 'Tries to hand a part of a text to the inbox, by kind of text and by what it is after the try.',
    labels: { kind: WORDS.sends, state: ['sent', 'queued', 'refused', 'unsure'] },
  },
  inbox_worker_send_duration_seconds: {
    type: 'histogram',
    help: 'How long the inbox took to answer a try to send.',
    buckets: BUCKETS.call,
  },
  inbox_worker_rescues_total: {
    type: 'counter',
    help: 'Conversations taken up where a dead worker had left them, by what became of them.',
    labels: { verdict: ['answered', 'retry', 'dead'] },
  },
  inbox_worker_caps_total: {
    type: 'counter',
    help: 'Conversations that a cap of their own kept from a turn: `retry` waits, `dead` is given up.',
    labels: { verdict: ['retry', 'dead'] },
  },
  inbox_worker_holds_total: {
    type: 'counter',
    help: 'Holds that began, by reason.',
    labels: { reason: HOLD_REASONS },
  },
  inbox_worker_hold_seconds_total: {
    type: 'counter',
    help: 'Time spent in holds, by reason, the one that stands included.',
    labels: { reason: HOLD_REASONS },
  },
  inbox_worker_claude_starts_total: {
    type: 'counter',
    help: 'Claude Code processes that became ready.',
  },
  inbox_worker_webhook_refusals_total: {
    type: 'counter',
    help: 'Webhook posts that were refused, by reason.',
    labels: { reason: WORDS.refusals },
  },
  inbox_worker_notices_total: {
    type: 'counter',
    help: 'Sentences for people that are no event of their own, by level.',
    labels: { level: ['info', 'warn', 'error'] },
  },
} as const satisfies Record<string, MetricFacts>;

/** What is true at the moment of the scrape. */
export const STATUS_METRICS = {
  inbox_worker_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    labels: { version: 'of this program', claude_version: 'of Claude Code', inbox: 'its name in .mcp.json' },
  },
  inbox_worker_status_readable: {
    type: 'gauge',
    help: '1 when the status could be read; 0 when not: then the other metrics of the status are absent.',
  },
  inbox_worker_start_time_seconds: { type: 'gauge', help: 'When the run began, in seconds since 1970.' },
  inbox_worker_health: {
    type: 'gauge',
    help: '1 for the state that `status` tells, 0 for all others.',
    labels: { state: HEALTH_STATES },
  },
  inbox_worker_hold: {
    type: 'gauge',
    help: '1 for each hold that stands; several can at once.',
    labels: { reason: HOLD_REASONS },
  },
  inbox_worker_messages: {
    type: 'gauge',
    help: 'Messages in the mailbox, by state.',
    labels: { state: WORDS.messages },
  },
  inbox_worker_oldest_waiting_message_age_seconds: {
    type: 'gauge',
    help: 'Since when the oldest message that is not settled has been on our disk; 0 when there is none.',
  },
  inbox_worker_outbox_messages: {
    type: 'gauge',
    help: 'Parts of texts in the outbox, by state.',
    labels: { state: WORDS.outbox },
  },
  inbox_worker_resting_conversations: {
    type: 'gauge',
    help: 'Conversations that wait at a cap of their own.',
  },
  inbox_worker_budget_used_usd: {
    type: 'gauge',
    help: 'US dollars spent in the window; only where that budget is limited.',
    labels: { window: WORDS.windows },
  },
  inbox_worker_budget_limit_usd: {
    type: 'gauge',
    help: 'US dollars that may be spent in the window.',
    labels: { window: WORDS.windows },
  },
  inbox_worker_budget_used_tokens: {
    type: 'gauge',
    help: 'Tokens used in the window; only where that budget is limited.',
    labels: { window: WORDS.windows },
  },
  inbox_worker_budget_limit_tokens: {
    type: 'gauge',
    help: 'Tokens that may be used in the window.',
    labels: { window: WORDS.windows },
  },
  inbox_worker_look_age_seconds: {
    type: 'gauge',
    help: 'Since the last look that succeeded; since the start where none has.',
  },
  inbox_worker_next_look_timestamp_seconds: {
    type: 'gauge',
    help: 'When the next look is due, in seconds since 1970; absent before the first.',
  },
  inbox_worker_turn_age_seconds: {
    type: 'gauge',
    help: 'How long the turn that runs has run; 0 when none does.',
  },
  inbox_worker_turn_silence_seconds: {
    type: 'gauge',
    help: 'Since the last sign of life in the turn that runs; 0 when none does.',
  },
  inbox_worker_session_turns: { type: 'gauge', help: 'Turns of the session that goes on.' },
  inbox_worker_session_context_tokens: {
    type: 'gauge',
    help: 'Tokens of its history, as far as known.',
  },
  inbox_worker_claude_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of the Claude Code process; absent where there is none or the system does not tell.',
  },
} as const satisfies Record<string, MetricFacts>;

/** Of a process with many agents (`run --all`), on the page of all of them. */
export const FLEET_METRICS = {
  inbox_worker_agents: {
    type: 'gauge',
    help: 'Agents of this process, by state; `waiting` are those that wait for a lease, or to try their start again.',
    labels: { state: ['starting', 'waiting', 'running', 'ended'] },
  },
} as const satisfies Record<string, MetricFacts>;

/** The program itself, under the names that every Prometheus client uses. */
export const PROCESS_METRICS = {
  process_cpu_user_seconds_total: { type: 'counter', help: 'User CPU time.' },
  process_cpu_system_seconds_total: { type: 'counter', help: 'System CPU time.' },
  process_cpu_seconds_total: { type: 'counter', help: 'User and system CPU time.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.' },
  process_start_time_seconds: { type: 'gauge', help: 'Start of the process, in seconds since 1970.' },
  process_open_fds: { type: 'gauge', help: 'Open file descriptors; absent where the system does not tell.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'JavaScript heap in use.' },
  nodejs_version_info: {
    type: 'gauge',
    help: 'Always 1; the label says which Node.js runs.',
    labels: { version: 'of Node.js' },
  },
} as const satisfies Record<string, MetricFacts>;

export const METRICS: Readonly<Record<string, MetricFacts>> = {
  ...STATUS_METRICS,
  ...EVENT_METRICS,
  ...FLEET_METRICS,
  ...PROCESS_METRICS,
};
