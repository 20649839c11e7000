// One tick of work: claim a conversation, see that it may go, run a turn, have it settled.
import type { Claim } from '../domain/claim.js';
import type { WorkerError } from '../domain/errors.js';
import type { Desk } from './desk.js';
import { holdFor } from './faults.js';
import { type ClaimGuard, Guard } from './guard.js';
import type { HoldBoard } from './hold-board.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { deadNotice, deathOf } from './recovery.js';
import { type FinishedTurn, Settler } from './settler.js';
import { type SessionPlan, SlotSession } from './slot-session.js';
import { TurnRunner } from './turn-runner.js';

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

/** More than any prompt can keep apart; the rest is the next turn's. */
const MAX_CLAIMS = 50;

const END_MS = 5_000;
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
  readonly #settler: Settler;
  /** Claimed, and not yet settled or given back. */
  #open: readonly Claim[] = [];
  #finished: FinishedTurn | undefined;

  constructor(parts: WorkerParts, options: WorkerOptions, holds: HoldBoard, desk: Desk, onSend: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#holds = holds;
    this.#onSend = onSend;
    this.runner = new TurnRunner(parts, options, desk, onSend);
    this.session = new SlotSession(parts.slots, options, parts.clock);
    this.#settler = new Settler(parts, options, holds, this.session, onSend);
    this.guard = new Guard(parts, options, parts.clock.now());
  }

  /** Spawns the agent before it is needed. Costs no model call. */
  async warmUp(signal: AbortSignal): Promise<WorkerError | undefined> {
    try {
      const ready = await this.#ready(this.session.warmUp(), signal);
      return ready.kind === 'unusable' ? ready.error : undefined;
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return undefined;
    }
  }

  /**
   * One pass. Never rejects for what can happen to our disk or lease: that becomes a hold.
   * @param mayStart may a turn start at this very moment? Getting ready takes time, and much can happen in it
   */
  async tick(mayStart: () => Promise<boolean>, signal: AbortSignal): Promise<TickResult> {
    try {
      const { mailbox, clock, ids } = this.#parts;
      const late = this.#finished !== undefined;
      await this.#finishLate();
      // What that turn came to may keep the next one from starting: decide anew.
      if (late) return { kind: 'worked' };
      const claim = await mailbox.claim({ at: clock.now(), slot: this.#options.slot, newId: ids.uuid() });
      if (!claim) return { kind: 'nothing', nextAt: await mailbox.nextRetryAt() };
      this.#open = [claim];
      return await this.#work(claim, mayStart, signal);
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return { kind: 'held' };
    }
  }

  /** At the end of a run: one more try to put on disk what a full one refused. The next start rescues what is left. */
  async finish(): Promise<void> {
    try {
      await this.#finishLate();
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
    }
  }

  async #work(claim: Claim, mayStart: () => Promise<boolean>, signal: AbortSignal): Promise<TickResult> {
    const guard = await this.guard.ofClaim(claim);
    if (guard.kind !== 'ok') return this.#cap(claim, guard);
    const claims: [Claim, ...Claim[]] = [claim, ...(await this.#others())];
    this.#open = claims;
    const plan = this.session.plan(claims);
    const ready = await this.#ready(plan.wish, signal);
    if (ready.kind !== 'ready') {
      await this.#finishLate();
      return ready.kind === 'unusable' ? ready : { kind: 'held' };
    }
    const held = plan.wish.kind === 'same' && ready.resumed;
    const [continues, remembers] = [plan.continues && held, plan.remembers && held];
    const report = await this.runner.run(claims, continues, remembers, mayStart, signal);
    if (report) {
      this.turns += 1;
      this.#finished = { claims, report, verdicts: new Map() };
    }
    await this.#finishLate();
    if (!report) return { kind: 'held' };
    if (this.#options.session === 'fresh') await this.#endProcess();
    return { kind: 'worked' };
  }

  /** The seed documents' fifteen lines: a process a tick. What a turn left running ends with it. */
  async #endProcess(): Promise<void> {
    const { agent } = this.#parts;
    await agent.stop(END_MS);
    await this.session.save(agent.facts);
  }

  /**
   * What is claimed must come to an end whatever the disk does: a finished turn is settled, an unbegun one given back.
   * Rejects when the disk still refuses, and is asked again before anything new is claimed.
   */
  async #finishLate(): Promise<void> {
    if (this.#finished) {
      await this.#settler.settle(this.#finished);
      this.#finished = undefined;
      this.#open = [];
    }
    // One by one, so that it goes on where the disk broke it off.
    for (let claim = this.#open[0]; claim; claim = this.#open[0]) {
      await this.#giveBack(claim);
      this.#open = this.#open.slice(1);
    }
  }

  /** With `pull_scope: all` one turn sees all that waits: each conversation under a claim of its own. */
  async #others(): Promise<Claim[]> {
    if (this.#options.delivery !== 'pull' || this.#options.pullScope !== 'all') return [];
    const { mailbox, clock, ids } = this.#parts;
    const claims: Claim[] = [];
    while (claims.length < MAX_CLAIMS) {
      const claim = await mailbox.claim({ at: clock.now(), slot: this.#options.slot, newId: ids.uuid() });
      if (!claim) break;
      this.#open = [...this.#open, claim];
      const guard = await this.guard.ofClaim(claim);
      if (guard.kind === 'ok') claims.push(claim);
      else await this.#cap(claim, guard);
    }
    return claims;
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
        {
          kind: 'dead',
          error: guard.why,
          notice: deadNotice(claim, this.#options, this.#parts.upstream.maxChars),
        },
        now,
      );
      this.#onSend();
      observer.on(deathOf(claim, guard.why));
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
    this.#open = this.#open.filter((open) => open.id !== claim.id);
    const { id: claimId, conversation } = claim;
    const verdict = guard.kind === 'dead' ? 'dead' : 'retry';
    const until = guard.kind === 'dead' ? undefined : guard.until;
    const messages = claim.messages.length;
    observer.on({ type: 'capped', claimId, conversation, messages, verdict, why: guard.why, until });
    return { kind: 'capped' };
  }

  /** The prompt was never written: the claim waits as it was, and no attempt is counted. */
  async #giveBack(claim: Claim): Promise<void> {
    const now = this.#parts.clock.now();
    const before = claim.before ?? UNTOUCHED;
    const error = before.lastError ?? 'its turn did not start';
    await this.#parts.mailbox.settle(
      claim.id,
      { kind: 'retry', retryAt: now, error, countsAttempt: false, before },
      now,
    );
  }
}
