// Settling: what a turn made of each claim it held, read from mailbox and outbox, all of it on disk before it is told.
import { type Claim, replyAddress } from '../domain/claim.js';
import { relinkMentions } from '../domain/mention.js';
import { sendableParts } from '../domain/split.js';
import { describeOutcome, NO_USAGE, reasonOf } from '../domain/turn.js';
import { judge, type Verdict } from '../domain/verdict.js';
import type { Settlement } from '../ports/mailbox.js';
import { holdAfter } from './failure-holds.js';
import { storeIsWell } from './faults.js';
import type { HoldBoard } from './hold-board.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { deadNotice, deathOf } from './recovery.js';
import type { SlotSession } from './slot-session.js';
import type { TurnReport } from './turn-runner.js';

/** A turn that is over, and how far it is settled. */
export interface FinishedTurn {
  readonly claims: readonly [Claim, ...Claim[]];
  readonly report: TurnReport;
  /** By claim id: those that are on disk. */
  readonly verdicts: Map<string, Verdict>;
}

export class Settler {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #session: SlotSession;
  readonly #onSend: () => void;

  constructor(
    parts: WorkerParts,
    options: WorkerOptions,
    holds: HoldBoard,
    session: SlotSession,
    onSend: () => void,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#session = session;
    this.#onSend = onSend;
  }

  /**
   * Settles every claim of the turn, then the turn itself. Rejects when the disk refuses; called again with the same
   * turn, it goes on where it broke off.
   */
  async settle(turn: FinishedTurn): Promise<void> {
    const { ledger, clock, random, agent } = this.#parts;
    const { report } = turn;
    const { outcome } = report;
    for (const claim of turn.claims) {
      if (!turn.verdicts.has(claim.id)) turn.verdicts.set(claim.id, await this.#settleOne(claim, report));
    }
    this.#onSend();
    storeIsWell(this.#holds);
    const endedAt = clock.now();
    const verdicts = turn.claims.map((claim) => turn.verdicts.get(claim.id) as Verdict);
    // The first row carries the turn's cost; the others count as turns of their conversations.
    for (const [index, row] of report.rows.entries()) {
      await ledger.end(row, {
        endedAt,
        sessionId: outcome.sessionId,
        verdict: verdicts[index]?.kind ?? 'retry',
        outcome: describeOutcome(outcome),
        usage: index === 0 ? outcome.usage : NO_USAGE,
      });
    }
    const conversation = turn.claims.length === 1 ? turn.claims[0].conversation : undefined;
    const next = await this.#nextSession(verdicts, report);
    await this.#session.keep(next, conversation, outcome.contextTokens, agent.facts);
    holdAfter(outcome, this.#holds, random.next());
    turn.claims.forEach((claim, index) => {
      const verdict = verdicts[index];
      this.#tell(claim, verdict?.kind ?? 'retry', report, endedAt, index === 0);
      if (verdict?.kind === 'dead') this.#parts.observer.on(deathOf(claim, verdict.error));
    });
  }

  async #settleOne(claim: Claim, report: TurnReport): Promise<Verdict> {
    const { mailbox, outbox, clock, random } = this.#parts;
    const verdict = judge({
      delivery: this.#options.delivery,
      outcome: report.outcome,
      settlingSends: await outbox.settlingSends(claim.id),
      noReplyCalled: report.noReplyCalled,
      attempts: claim.attempts,
      maxAttempts: this.#options.maxAttempts,
      retry: this.#options.retry,
      random: random.next(),
    });
    const now = clock.now();
    await mailbox.settle(claim.id, this.#settlement(claim, verdict, report, now), now);
    return verdict;
  }

  #tell(
    claim: Claim,
    verdict: Verdict['kind'],
    report: TurnReport,
    endedAt: number,
    paysForAll: boolean,
  ): void {
    const { outcome } = report;
    this.#parts.observer.on({
      type: 'turn-ended',
      claimId: claim.id,
      turnId: report.turnId,
      conversation: claim.conversation,
      verdict,
      outcome: describeOutcome(outcome),
      ending: outcome.kind,
      reason: reasonOf(outcome),
      model: outcome.model,
      usage: paysForAll ? outcome.usage : NO_USAGE,
      durationMs: endedAt - report.startedAt,
      sessionId: outcome.sessionId,
    });
  }

  #settlement(claim: Claim, verdict: Verdict, report: TurnReport, now: number): Settlement {
    switch (verdict.kind) {
      case 'answered': {
        if (verdict.reply === undefined) return { kind: 'answered', reply: undefined };
        const parts = sendableParts(relinkMentions(verdict.reply), this.#parts.upstream.maxChars);
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
            promptKept:
              promptKept && sessionId !== undefined && !poisoned(report) && !continuedInVain(claim, report),
            rescued: report.outcome.kind !== 'completed' && report.outcome.kind !== 'failed',
            lastError: verdict.error,
          },
        };
      }
      case 'dead':
        return {
          kind: 'dead',
          error: verdict.error,
          notice: deadNotice(claim, this.#options, this.#parts.upstream.maxChars),
        };
    }
  }

  /** The session that goes on after this turn; undefined ends it, and the next prompt carries the memory again. */
  async #nextSession(verdicts: readonly Verdict[], report: TurnReport): Promise<string | undefined> {
    const cleared = await this.#parts.flags.take('clear-session');
    const { sessionId } = report.outcome;
    if (report.taskDoneCalled || cleared) this.#session.end(sessionId);
    if (this.#session.hasEnded(sessionId) || this.#options.session === 'fresh') return undefined;
    // A history that ends in a failed prompt would join it to the next sender's.
    const sound =
      report.outcome.kind === 'completed' || verdicts.every((verdict) => verdict.kind === 'retry');
    return sound && !poisoned(report) ? sessionId : undefined;
  }
}

/** The same prompt would fail the same way in the same history. */
function poisoned(report: TurnReport): boolean {
  const { outcome } = report;
  return outcome.kind === 'failed' && ['context-too-long', 'request-invalid'].includes(outcome.failure);
}

/** It was continued in its own session and broke off again: that history is not tried a third time. */
function continuedInVain(claim: Claim, { outcome }: TurnReport): boolean {
  const again = claim.before?.promptKept === true && claim.before.sessionId === outcome.sessionId;
  return again && (outcome.kind === 'timed-out' || outcome.kind === 'died');
}
