// Counts what happens: the worker's events as counters and histograms. No label ever holds a name of somebody.
import { HOLD_REASONS, type HoldReason } from '../domain/hold.js';
import { LATE_WAKE_MS } from '../domain/wake.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { Claims } from './claims.js';
import type { Instruments } from './instruments.js';
import type { EVENT_METRICS } from './metric-list.js';
import { WORDS } from './metric-words.js';

type Of<Type extends WorkerEvent['type']> = Extract<WorkerEvent, { type: Type }>;

export class EventCounts implements Observer {
  readonly #metrics: Instruments<typeof EVENT_METRICS>;
  readonly #clock: { now(): number };
  readonly #claims = new Claims();
  readonly #holds = new Map<HoldReason, { since: number | undefined; doneMs: number }>();
  /** When mail was found that no wake had announced: it is a missed wake unless one comes late. */
  #unannouncedAt: number | undefined;
  #turn: string | undefined;
  #pid: number | undefined;

  constructor(metrics: Instruments<typeof EVENT_METRICS>, clock: { now(): number }) {
    this.#metrics = metrics;
    this.#clock = clock;
    for (const reason of HOLD_REASONS) this.#holds.set(reason, { since: undefined, doneMs: 0 });
  }

  on(event: WorkerEvent): void {
    const metrics = this.#metrics;
    this.#claims.follow(event);
    switch (event.type) {
      case 'woken':
        metrics.inc('inbox_worker_wakes_total', { kind: event.kind });
        if (event.late) this.#unannouncedAt = undefined;
        break;
      case 'looked':
        this.#looked(event);
        break;
      case 'look-failed':
        metrics.inc('inbox_worker_looks_total', { outcome: event.outcome });
        metrics.observe('inbox_worker_look_duration_seconds', {}, event.durationMs / 1000);
        break;
      case 'hold-began':
        this.#hold(event.hold.reason).since ??= event.hold.since;
        metrics.inc('inbox_worker_holds_total', { reason: event.hold.reason });
        break;
      case 'hold-ended': {
        const hold = this.#hold(event.hold.reason);
        hold.doneMs += Math.max(0, event.at - (hold.since ?? event.hold.since));
        hold.since = undefined;
        break;
      }
      case 'turn-began':
        this.#began(event);
        break;
      case 'turn-ended':
        this.#ended(event);
        break;
      case 'sent':
      case 'send-failed':
        this.#sent(event);
        break;
      case 'rescued':
        metrics.inc('inbox_worker_rescues_total', { verdict: event.verdict });
        if (event.verdict === 'answered') this.#settled('answered', event.messages);
        break;
      case 'capped':
        metrics.inc('inbox_worker_caps_total', { verdict: event.verdict });
        break;
      case 'dead':
        this.#settled('dead', event.messages.length);
        break;
      case 'agent-ready':
        if (event.pid !== this.#pid) metrics.inc('inbox_worker_claude_starts_total', {});
        this.#pid = event.pid;
        break;
      case 'webhook-refused':
        metrics.inc('inbox_worker_webhook_refusals_total', { reason: event.reason });
        break;
      case 'notice':
        metrics.inc('inbox_worker_notices_total', { level: event.level });
        break;
    }
  }

  /** Brings up to date what time alone changes. */
  settle(): void {
    const now = this.#clock.now();
    if (this.#unannouncedAt !== undefined && now - this.#unannouncedAt >= LATE_WAKE_MS) this.#missed();
    for (const [reason, { since, doneMs }] of this.#holds) {
      const ms = doneMs + (since === undefined ? 0 : Math.max(0, now - since));
      this.#metrics.count('inbox_worker_hold_seconds_total', { reason }, ms / 1000);
    }
  }

  #looked({ fresh, missed, durationMs }: Of<'looked'>): void {
    const metrics = this.#metrics;
    metrics.inc('inbox_worker_looks_total', { outcome: fresh > 0 ? 'found' : 'empty' });
    metrics.observe('inbox_worker_look_duration_seconds', {}, durationMs / 1000);
    metrics.inc('inbox_worker_messages_spooled_total', {}, fresh);
    if (!missed) return;
    // The next unannounced mail shows that no wake came for the last.
    if (this.#unannouncedAt !== undefined) this.#missed();
    this.#unannouncedAt = this.#clock.now();
  }

  #missed(): void {
    this.#unannouncedAt = undefined;
    this.#metrics.inc('inbox_worker_missed_wakes_total', {});
  }

  #began({ spooledAt, attempt, mode }: Of<'turn-began'>): void {
    if (attempt > 1 || mode === 'continue') return;
    const waited = this.#since(spooledAt[0]);
    if (waited !== undefined) this.#metrics.observe('inbox_worker_message_wait_seconds', {}, waited);
  }

  #ended(event: Of<'turn-ended'>): void {
    const metrics = this.#metrics;
    const { turnId, ending: outcome, verdict, reason, usage } = event;
    // Of the dead an event of their own tells, whatever they died of.
    if (verdict === 'answered' || verdict === 'silent') {
      this.#settled(verdict, this.#claims.messagesOf(event.claimId));
    }
    // Several conversations may share a turn: it is one turn, and the first carries what it cost.
    if (turnId === this.#turn) return;
    this.#turn = turnId;
    metrics.inc('inbox_worker_turns_total', { outcome, verdict });
    if (reason !== undefined) metrics.inc('inbox_worker_turn_failures_total', { reason });
    metrics.observe('inbox_worker_turn_duration_seconds', {}, event.durationMs / 1000);
    metrics.inc('inbox_worker_model_calls_total', {}, usage.modelCalls);
    metrics.inc('inbox_worker_cost_usd_total', {}, Math.max(0, usage.costUsd));
    const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
    const tokens = {
      input: Math.max(0, usage.inputTokens - read - written),
      cache_read: read,
      cache_write: written,
      output: usage.outputTokens,
    };
    for (const kind of WORDS.tokens) metrics.inc('inbox_worker_tokens_total', { kind }, tokens[kind]);
  }

  #sent(event: Of<'sent'> | Of<'send-failed'>): void {
    const state = event.type === 'sent' ? 'sent' : event.state;
    this.#metrics.inc('inbox_worker_sends_total', { kind: event.kind, state });
    this.#metrics.observe('inbox_worker_send_duration_seconds', {}, event.durationMs / 1000);
    if (state !== 'sent' || event.kind !== 'reply' || event.claimId === undefined) return;
    const latency = this.#since(this.#claims.takeOldest(event.claimId));
    if (latency !== undefined) this.#metrics.observe('inbox_worker_reply_latency_seconds', {}, latency);
  }

  #settled(state: 'answered' | 'silent' | 'dead', messages: number): void {
    this.#metrics.inc('inbox_worker_messages_settled_total', { state }, messages);
  }

  #since(at: number | undefined): number | undefined {
    return at === undefined ? undefined : Math.max(0, this.#clock.now() - at) / 1000;
  }

  #hold(reason: HoldReason): { since: number | undefined; doneMs: number } {
    const known = this.#holds.get(reason) ?? { since: undefined, doneMs: 0 };
    this.#holds.set(reason, known);
    return known;
  }
}
