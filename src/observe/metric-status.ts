// The worker's status as gauges, set anew at each scrape.
import { HOLD_REASONS } from '../domain/hold.js';
import { HEALTH_STATES, type Status } from '../domain/status.js';
import { residentBytes } from '../lib/process-memory.js';
import type { Instruments } from './instruments.js';
import type { STATUS_METRICS } from './metric-list.js';
import { WORDS } from './metric-words.js';

/** What does not change in a run. */
export interface RunFacts {
  /** Of this program. */
  readonly version: string;
  /** The inbox's name in .mcp.json. */
  readonly inbox: string;
  /** The agent's own name, where it has one. */
  readonly agent?: string | undefined;
}

export function setStatus(
  metrics: Instruments<typeof STATUS_METRICS>,
  status: Status | undefined,
  run: RunFacts,
  now: number,
): void {
  // What is not known now must not be told as it was.
  metrics.clear();
  metrics.set('inbox_worker_status_readable', {}, status ? 1 : 0);
  if (!status) return;
  const age = (at: number | undefined): number => (at === undefined ? 0 : Math.max(0, now - at) / 1000);
  const { agent, look, messages, outbox, session, turn } = status;
  const info = { version: run.version, inbox: run.inbox, claude_version: agent.version ?? '' };
  metrics.set('inbox_worker_info', info, 1);
  metrics.set('inbox_worker_start_time_seconds', {}, status.startedAt / 1000);
  for (const state of HEALTH_STATES) {
    metrics.set('inbox_worker_health', { state }, status.health === state ? 1 : 0);
  }
  for (const reason of HOLD_REASONS) {
    const stands = status.holds.some((hold) => hold.reason === reason);
    metrics.set('inbox_worker_hold', { reason }, stands ? 1 : 0);
  }
  for (const state of WORDS.messages) metrics.set('inbox_worker_messages', { state }, messages[state]);
  for (const state of WORDS.outbox) metrics.set('inbox_worker_outbox_messages', { state }, outbox[state]);
  metrics.set('inbox_worker_oldest_waiting_message_age_seconds', {}, age(status.oldestWaitingAt));
  metrics.set('inbox_worker_resting_conversations', {}, status.resting.length);
  for (const { window, cap, spent } of status.budgets) {
    for (const unit of ['usd', 'tokens'] as const) {
      const limit = cap[unit];
      if (limit === 'unlimited') continue;
      metrics.set(`inbox_worker_budget_used_${unit}`, { window }, spent[unit]);
      metrics.set(`inbox_worker_budget_limit_${unit}`, { window }, limit);
    }
  }
  metrics.set('inbox_worker_look_age_seconds', {}, age(look.lastSuccessAt ?? status.startedAt));
  metrics.set('inbox_worker_next_look_timestamp_seconds', {}, seconds(look.nextAt));
  metrics.set('inbox_worker_turn_age_seconds', {}, age(turn?.startedAt));
  metrics.set('inbox_worker_turn_silence_seconds', {}, age(turn?.lastFrameAt));
  metrics.set('inbox_worker_session_turns', {}, session?.turns ?? 0);
  metrics.set('inbox_worker_session_context_tokens', {}, session?.contextTokens ?? 0);
  metrics.set('inbox_worker_claude_resident_memory_bytes', {}, residentBytes(agent.pid));
}

/** An instant that never comes is no instant. */
function seconds(at: number | undefined): number | undefined {
  return at !== undefined && Number.isFinite(at) ? at / 1000 : undefined;
}
