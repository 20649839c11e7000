// The session of a slot: which conversation it holds, and which session the next turn wishes for.
import type { Claim } from '../domain/claim.js';
import { afterTurn, freshWear, isWorn, type SessionWear } from '../domain/session-care.js';
import type { SessionReport } from '../domain/status.js';
import type { AgentFacts, SessionWish } from '../ports/agent.js';
import type { Clock } from '../ports/clock.js';
import type { Slots } from '../ports/slots.js';
import type { WorkerOptions } from './options.js';

export interface SessionPlan {
  readonly wish: SessionWish;
  /** The history already holds this claim's prompt. */
  readonly continues: boolean;
  /** The history already holds this conversation's last exchanges. */
  readonly remembers: boolean;
}

/** So many ended sessions are remembered: a retry may still go on in one of the last. */
const ENDED_SESSIONS = 50;

export class SlotSession {
  readonly #slots: Slots;
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  #wear: SessionWear;
  #sessionId: string | undefined;
  #conversation: string | undefined;
  /** The last that were to end: what broke off in one is continued there, and nothing else. */
  #ended: readonly string[] = [];

  constructor(slots: Slots, options: WorkerOptions, clock: Clock) {
    this.#slots = slots;
    this.#options = options;
    this.#clock = clock;
    this.#wear = freshWear(clock.now());
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** For status. */
  get report(): SessionReport | undefined {
    if (this.#sessionId === undefined) return undefined;
    return { id: this.#sessionId, conversation: this.#conversation, ...this.#wear };
  }

  async load(): Promise<void> {
    const left = await this.#slots.load(this.#options.slot);
    this.#sessionId = left?.sessionId;
    this.#conversation = left?.conversation;
    if (left?.sessionId !== undefined && left.wear) this.#wear = left.wear;
  }

  /** The session to warm up before anything is claimed. */
  warmUp(): SessionWish {
    return this.#sessionId === undefined || this.#options.session === 'fresh'
      ? { kind: 'fresh' }
      : { kind: 'same', sessionId: this.#sessionId };
  }

  plan([claim, ...others]: readonly [Claim, ...Claim[]]): SessionPlan {
    // Several at once share no history but one that is kept on purpose.
    if (others.length > 0) return this.#planMany();
    const kept = claim.before?.promptKept ? claim.before.sessionId : undefined;
    if (kept !== undefined) {
      return { wish: { kind: 'same', sessionId: kept }, continues: true, remembers: true };
    }
    const mine = this.#conversation === claim.conversation;
    const goesOn =
      this.#options.session === 'continuous' || (this.#options.session === 'conversation' && mine);
    const worn = isWorn(this.#wear, this.#options.sessionLimits, this.#clock.now());
    // After a failed attempt the history may be the cause: the next one begins anew.
    if (!goesOn || worn || this.#sessionId === undefined || claim.before?.promptKept === false) {
      return { wish: { kind: 'fresh' }, continues: false, remembers: false };
    }
    return { wish: { kind: 'same', sessionId: this.#sessionId }, continues: false, remembers: mine };
  }

  #planMany(): SessionPlan {
    const worn = isWorn(this.#wear, this.#options.sessionLimits, this.#clock.now());
    const sessionId = this.#options.session === 'continuous' && !worn ? this.#sessionId : undefined;
    const wish: SessionWish = sessionId === undefined ? { kind: 'fresh' } : { kind: 'same', sessionId };
    return { wish, continues: false, remembers: false };
  }

  /** The task is done, or somebody wants it cleared: no new claim goes on in this session. */
  end(sessionId: string | undefined): void {
    if (sessionId === undefined || this.hasEnded(sessionId)) return;
    this.#ended = [...this.#ended, sessionId].slice(-ENDED_SESSIONS);
  }

  hasEnded(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#ended.includes(sessionId);
  }

  /** After a turn: the session goes on with this conversation, or ends (`sessionId` undefined). */
  async keep(
    sessionId: string | undefined,
    conversation: string | undefined,
    contextTokens: number | undefined,
    facts: AgentFacts,
  ): Promise<void> {
    const goesOn = sessionId !== undefined && sessionId === this.#sessionId;
    this.#wear = afterTurn(goesOn ? this.#wear : freshWear(this.#clock.now()), contextTokens);
    this.#sessionId = sessionId;
    this.#conversation = sessionId === undefined ? undefined : conversation;
    await this.save(facts);
  }

  /** Puts on disk what a restart needs: the process to look for, the session to resume. */
  async save(facts: AgentFacts): Promise<void> {
    await this.#slots.save({
      slot: this.#options.slot,
      pid: facts.pid,
      processStart: facts.processStart,
      sessionId: this.#sessionId,
      conversation: this.#conversation,
      wear: this.#sessionId === undefined ? undefined : this.#wear,
    });
  }
}
