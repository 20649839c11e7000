// One turn: the prompt goes to the agent, progress is told, the outcome comes back with what the tools did.
import type { Claim } from '../domain/claim.js';
import { buildPrompt } from '../domain/prompt.js';
import { NO_USAGE, type TurnOutcome } from '../domain/turn.js';
import type { TurnProgress } from '../ports/agent.js';
import { ClaimedTurn } from './claimed-turn.js';
import { ClaimedTurns } from './claimed-turns.js';
import type { Desk } from './desk.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

export interface OpenTurnFacts {
  readonly conversation: string;
  readonly startedAt: number;
  lastFrameAt: number;
}

export interface TurnReport {
  readonly turnId: string;
  /** The turn's rows in the ledger, one a claim: the first is the turn itself. */
  readonly rows: readonly string[];
  readonly outcome: TurnOutcome;
  readonly noReplyCalled: boolean;
  readonly taskDoneCalled: boolean;
  readonly startedAt: number;
}

export class TurnRunner {
  /** The turn that runs now, for status. */
  current: OpenTurnFacts | undefined;
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #desk: Desk;
  readonly #onSend: () => void;

  constructor(parts: WorkerParts, options: WorkerOptions, desk: Desk, onSend: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#desk = desk;
    this.#onSend = onSend;
  }

  /**
   * Runs the prompt of one claim, or of several that share a turn, in the session that is ready.
   * @param continues the session's history holds the prompt already
   * @param remembers the session's history holds the conversation already
   * @param mayStart asked at the last moment: a stop or a hold that came up meanwhile keeps the turn from starting
   * @returns undefined when it did not start: the prompt was not written
   */
  async run(
    claims: readonly [Claim, ...Claim[]],
    continues: boolean,
    remembers: boolean,
    mayStart: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<TurnReport | undefined> {
    const [claim] = claims;
    const { agent, ledger, clock, ids } = this.#parts;
    const { slot } = this.#options;
    const prompt = await this.#prompt(claim, continues, remembers);
    const turnId = ids.uuid();
    const startedAt = clock.now();
    const promptBytes = new TextEncoder().encode(prompt).length;
    const { sessionId } = agent.facts;
    const turn = this.#openTurn(claims);
    const rows = [turnId, ...claims.slice(1).map(() => ids.uuid())];
    for (const [index, one] of claims.entries()) {
      const { id: claimId, conversation } = one;
      const id = rows[index] ?? turnId;
      await ledger.begin({ id, claimId, conversation, slot, sessionId, startedAt, promptBytes });
    }
    if (!(await mayStart())) {
      await this.#callOff(rows);
      return undefined;
    }
    for (const one of claims) this.#tellBegin(one, turnId, promptBytes, continues);
    for (const { conversation, messages } of claims) {
      for (const { id, sender: who, text } of messages) {
        this.#parts.onWords?.({ direction: 'in', who, conversation, id, text });
      }
    }
    this.current = { conversation: claim.conversation, startedAt, lastFrameAt: startedAt };
    this.#desk.open(slot, turn);
    const noted = this.#noteSessionOnce(claims);
    try {
      const outcome = await agent.turn(
        {
          prompt,
          id: turnId,
          silenceMs: this.#options.silenceMs,
          toolMs: this.#options.toolMs,
          mcpToolMs: this.#options.mcpToolMs,
          limitMs: this.#options.turnLimitMs,
          onProgress: (progress) => {
            noted.see(progress.sessionId);
            this.#tellProgress(turnId, progress);
          },
        },
        signal,
      );
      return {
        turnId,
        rows,
        outcome,
        noReplyCalled: turn.noReplyCalled,
        taskDoneCalled: turn.taskDoneCalled,
        startedAt,
      };
    } finally {
      this.#desk.close(slot);
      this.current = undefined;
      await turn.close();
      await noted.done();
    }
  }

  /** The ledger has it already: a turn that cost nothing. */
  async #callOff(rows: readonly string[]): Promise<void> {
    const { agent, ledger, clock } = this.#parts;
    const { sessionId } = agent.facts;
    const outcome = 'called off before it began';
    for (const row of rows) {
      await ledger.end(row, { endedAt: clock.now(), sessionId, verdict: 'retry', outcome, usage: NO_USAGE });
    }
  }

  #openTurn(claims: readonly [Claim, ...Claim[]]): ClaimedTurn | ClaimedTurns {
    const turns = claims.map((claim) => new ClaimedTurn(this.#parts, this.#options, claim, this.#onSend));
    const [only, ...others] = turns;
    return only && others.length === 0 ? only : new ClaimedTurns(turns);
  }

  async #prompt(claim: Claim, continues: boolean, remembers: boolean): Promise<string> {
    const { mailbox, ids } = this.#parts;
    const { delivery, tickPrompt, maxInlineChars, memory } = this.#options;
    return buildPrompt({
      delivery,
      claim,
      tickPrompt,
      maxInlineChars,
      nonce: ids.word(),
      mode: continues ? 'continue' : 'full',
      halfDone: claim.before?.rescued ?? false,
      memory: continues || remembers || delivery === 'pull' ? [] : await mailbox.memory(claim, memory),
    });
  }

  /** The agent names a session only when its history holds the prompt on disk: from then on a rescue resumes it. */
  #noteSessionOnce(claims: readonly Claim[]): {
    see(sessionId: string | undefined): void;
    done(): Promise<void>;
  } {
    let noted: Promise<unknown> | undefined;
    return {
      see: (sessionId) => {
        if (sessionId === undefined) return;
        noted ??= Promise.all(claims.map((claim) => this.#parts.mailbox.noteSession(claim.id, sessionId)));
        noted.catch(() => {});
      },
      // Without the note a rescue sends the full prompt: no reason to throw a finished turn away.
      done: async () => void (await noted?.catch(() => {})),
    };
  }

  #tellBegin(claim: Claim, turnId: string, promptBytes: number, continues: boolean): void {
    this.#parts.observer.on({
      type: 'turn-began',
      claimId: claim.id,
      turnId,
      conversation: claim.conversation,
      messages: claim.messages.length,
      spooledAt: claim.messages.map((message) => message.spooledAt).sort((a, b) => a - b),
      attempt: claim.attempts + 1,
      promptBytes,
      mode: continues ? 'continue' : 'full',
    });
  }

  #tellProgress(turnId: string, progress: TurnProgress): void {
    if (this.current) this.current.lastFrameAt = this.#parts.clock.now();
    this.#parts.observer.on({ type: 'turn-progress', turnId, progress });
  }
}
