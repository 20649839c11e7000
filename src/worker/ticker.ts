// One tick of work: claim a conversation, run a turn, settle by what mailbox and outbox hold.
import type { Claim } from '../domain/claim.js';
import { replyAddress } from '../domain/claim.js';
import type { WorkerError } from '../domain/errors.js';
import { splitText } from '../domain/split.js';
import { describeOutcome } from '../domain/turn.js';
import { judge, type Verdict } from '../domain/verdict.js';
import type { Settlement } from '../ports/mailbox.js';
import type { Desk } from './desk.js';
import { holdAfter } from './failure-holds.js';
import { holdFor } from './faults.js';
import { type ClaimGuard, Guard } from './guard.js';
import type { HoldBoard } from './hold-board.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { deadNotice } from './recovery.js';
import { type SessionPlan, SlotSession } from './slot-session.js';
import { type TurnReport, TurnRunner } from './turn-runner.js';

export type TickResult =
  | { readonly kind: 'worked' }
  /** Nothing can be claimed now; a retry falls due at `nextAt`, if any. */
  | { readonly kind: 'nothing'; readonly nextAt: number | undefined }
  /** A hold was placed: ask again when it ends. */
  | { readonly kind: 'held' }
  /** A conversation was at a cap of its own: the next one may go. */
  | { readonly kind: 'capped' }
  | { readonly kind: 'unusable'; readonly error: WorkerError };

/** What an attempt leaves behind that never reached Claude. */
const UNTOUCHED = { sessionId: undefined, promptKept: false, rescued: false, lastError: undefined };

const NOT_READY = { firstMs: 2_000, maxMs: 5 * 60_000 };

export class Ticker {
  /** Turns started in this run. */
  turns = 0;
  readonly runner: TurnRunner;
  readonly session: SlotSession;
  readonly guard: Guard;
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #onSend: () => void;

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard, desk: Desk, onSend: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#onSend = onSend;
    this.runner = new TurnRunner(parts, options, desk, onSend);
    this.session = new SlotSession(parts.slots, options);
    this.guard = new Guard(parts, options, parts.clock.now());
  }

  /** Spawns the agent before it is needed. Costs no model call. */
  async warmUp(signal: AbortSignal): Promise<WorkerError | undefined> {
    const ready = await this.#ready(this.session.warmUp(), signal);
    return ready.kind === 'unusable' ? ready.error : undefined;
  }

  /** One pass. Never rejects for what can happen to our disk or lease: that becomes a hold. */
  async tick(signal: AbortSignal): Promise<TickResult> {
    try {
      const { mailbox, clock, ids } = this.#parts;
      const claim = await mailbox.claim({ at: clock.now(), slot: this.#options.slot, newId: ids.uuid() });
      if (!claim) return { kind: 'nothing', nextAt: await mailbox.nextRetryAt() };
      return await this.#work(claim, signal);
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return { kind: 'held' };
    }
  }

  async #work(claim: Claim, signal: AbortSignal): Promise<TickResult> {
    const guard = await this.guard.ofClaim(claim);
    if (guard.kind !== 'ok') return this.#cap(claim, guard);
    const plan = this.session.plan(claim);
    const ready = await this.#ready(plan.wish, signal);
    if (ready.kind !== 'ready') {
      await this.#giveBack(claim);
      return ready.kind === 'unusable' ? ready : { kind: 'held' };
    }
    const held = plan.wish.kind === 'same' && ready.resumed;
    this.turns += 1;
    const report = await this.runner.run(claim, plan.continues && held, plan.remembers && held, signal);
    await this.#settle(claim, report);
    return { kind: 'worked' };
  }

  async #ready(wish: SessionPlan['wish'], signal: AbortSignal): ReturnType<WorkerParts['agent']['ready']> {
    const { agent, observer } = this.#parts;
    const ready = await agent.ready(wish, signal);
    if (ready.kind === 'ready') {
      this.#holds.clear('agent-not-ready');
      await this.session.save(agent.facts);
      observer.on({ type: 'agent-ready', sessionId: ready.sessionId, pid: agent.facts.pid });
    } else if (ready.kind === 'not-ready') {
      if (!signal.aborted) {
        this.#holds.placeGrowing('agent-not-ready', ready.message, NOT_READY.firstMs, NOT_READY.maxMs);
      }
      observer.on({ type: 'agent-not-ready', text: ready.message });
    }
    return ready;
  }

  async #cap(claim: Claim, guard: Exclude<ClaimGuard, { kind: 'ok' }>): Promise<TickResult> {
    const { mailbox, clock, observer } = this.#parts;
    const now = clock.now();
    if (guard.kind === 'dead') {
      await mailbox.settle(
        claim.id,
        { kind: 'dead', error: guard.why, notice: deadNotice(claim, this.#options) },
        now,
      );
      this.#onSend();
    } else {
      const before = claim.before ?? UNTOUCHED;
      const retry = {
        kind: 'retry',
        retryAt: guard.until,
        error: guard.why,
        countsAttempt: false,
        before,
      } as const;
      await mailbox.settle(claim.id, retry, now);
    }
    const end =
      guard.kind === 'dead' ? 'it is dead' : `it waits until ${new Date(guard.until).toISOString()}`;
    observer.on({ type: 'notice', level: 'warn', text: `${claim.conversation}: ${guard.why}; ${end}.` });
    return { kind: 'capped' };
  }

  /** The prompt was never written: the claim waits as it was, and no attempt is counted. */
  async #giveBack(claim: Claim): Promise<void> {
    const now = this.#parts.clock.now();
    const before = claim.before ?? UNTOUCHED;
    const error = before.lastError ?? 'Claude Code was not ready';
    await this.#parts.mailbox.settle(
      claim.id,
      { kind: 'retry', retryAt: now, error, countsAttempt: false, before },
      now,
    );
  }

  async #settle(claim: Claim, report: TurnReport): Promise<void> {
    const { mailbox, outbox, ledger, clock, observer, random, agent } = this.#parts;
    const { outcome } = report;
    const verdict = judge({
      delivery: this.#options.delivery,
      outcome,
      settlingSends: await outbox.settlingSends(claim.id),
      noReplyCalled: report.noReplyCalled,
      attempts: claim.attempts,
      maxAttempts: this.#options.maxAttempts,
      retry: this.#options.retry,
      random: random.next(),
    });
    const now = clock.now();
    await mailbox.settle(claim.id, this.#settlement(claim, verdict, report, now), now);
    this.#onSend();
    holdAfter(outcome, this.#holds, random.next());
    const { usage, sessionId } = outcome;
    const said = describeOutcome(outcome);
    await ledger.end(report.turnId, { endedAt: now, sessionId, verdict: verdict.kind, outcome: said, usage });
    await this.session.keep(await this.#nextSession(verdict, report), claim.conversation, agent.facts);
    observer.on({
      type: 'turn-ended',
      claimId: claim.id,
      turnId: report.turnId,
      conversation: claim.conversation,
      verdict: verdict.kind,
      outcome: said,
      usage,
      durationMs: now - report.startedAt,
      sessionId,
    });
  }

  #settlement(claim: Claim, verdict: Verdict, report: TurnReport, now: number): Settlement {
    switch (verdict.kind) {
      case 'answered': {
        if (verdict.reply === undefined) return { kind: 'answered', reply: undefined };
        const parts = splitText(verdict.reply, this.#parts.upstream.maxChars);
        return {
          kind: 'answered',
          reply: { to: replyAddress(claim), parts, replyToId: claim.messages.at(-1)?.id },
        };
      }
      case 'silent':
        return { kind: 'silent' };
      case 'retry': {
        const { sessionId, promptKept } = report.outcome;
        return {
          kind: 'retry',
          retryAt: now + verdict.delayMs,
          error: verdict.error,
          countsAttempt: verdict.countsAttempt,
          before: {
            sessionId,
            promptKept: promptKept && sessionId !== undefined && !poisoned(report),
            rescued: report.outcome.kind !== 'completed' && report.outcome.kind !== 'failed',
            lastError: verdict.error,
          },
        };
      }
      case 'dead':
        return { kind: 'dead', error: verdict.error, notice: deadNotice(claim, this.#options) };
    }
  }

  /** The session that goes on after this turn; undefined ends it, and the next prompt carries the memory again. */
  async #nextSession(verdict: Verdict, report: TurnReport): Promise<string | undefined> {
    const cleared = await this.#parts.flags.take('clear-session');
    if (report.taskDoneCalled || cleared || this.#options.session === 'fresh') return undefined;
    // A history that ends in a failed prompt would join it to the next sender's.
    const sound = report.outcome.kind === 'completed' || verdict.kind === 'retry';
    return sound && !poisoned(report) ? report.outcome.sessionId : undefined;
  }
}

/** The same prompt would fail the same way in the same history. */
function poisoned(report: TurnReport): boolean {
  const { outcome } = report;
  return outcome.kind === 'failed' && ['context-too-long', 'request-invalid'].includes(outcome.failure);
}
