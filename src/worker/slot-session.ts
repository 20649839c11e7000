// The session of a slot: which conversation it holds, and which session the next turn wishes for.
import type { Claim } from '../domain/claim.js';
import type { AgentFacts, SessionWish } from '../ports/agent.js';
import type { Slots } from '../ports/slots.js';
import type { WorkerOptions } from './options.js';

export interface SessionPlan {
  readonly wish: SessionWish;
  /** The history already holds this claim's prompt. */
  readonly continues: boolean;
  /** The history already holds this conversation's last exchanges. */
  readonly remembers: boolean;
}

export class SlotSession {
  readonly #slots: Slots;
  readonly #options: WorkerOptions;
  #sessionId: string | undefined;
  #conversation: string | undefined;

  constructor(slots: Slots, options: WorkerOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  async load(): Promise<void> {
    const left = await this.#slots.load(this.#options.slot);
    this.#sessionId = left?.sessionId;
    this.#conversation = left?.conversation;
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
    // After a failed attempt the history may be the cause: the next one begins anew.
    if (!goesOn || this.#sessionId === undefined || claim.before?.promptKept === false) {
      return { wish: { kind: 'fresh' }, continues: false, remembers: false };
    }
    return { wish: { kind: 'same', sessionId: this.#sessionId }, continues: false, remembers: mine };
  }

  #planMany(): SessionPlan {
    const sessionId = this.#options.session === 'continuous' ? this.#sessionId : undefined;
    const wish: SessionWish = sessionId === undefined ? { kind: 'fresh' } : { kind: 'same', sessionId };
    return { wish, continues: false, remembers: false };
  }

  /** After a turn: the session goes on with this conversation, or ends (`sessionId` undefined). */
  async keep(
    sessionId: string | undefined,
    conversation: string | undefined,
    facts: AgentFacts,
  ): Promise<void> {
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
    });
  }
}
