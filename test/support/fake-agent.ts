// An agent in memory: each turn is answered by a function of the test.
import { NO_USAGE, type TurnOutcome } from '../../src/domain/turn.js';
import type { Agent, AgentFacts, ReadyOutcome, SessionWish, TurnRequest } from '../../src/ports/agent.js';

export type Answer = (request: TurnRequest, signal: AbortSignal, agent: FakeAgent) => Promise<TurnOutcome>;

/** Answers every prompt with this text. */
export function says(text: string): Answer {
  return async (_request, _signal, agent) => ({
    kind: 'completed',
    text,
    denials: 0,
    sessionId: agent.facts.sessionId,
    usage: { ...NO_USAGE, modelCalls: 1, costUsd: 0.01 },
    promptKept: true,
  });
}

export class FakeAgent implements Agent {
  answer: Answer = says('hello');
  readonly prompts: string[] = [];
  readonly wishes: SessionWish[] = [];
  readonly readyFaults: ReadyOutcome[] = [];
  /** Sessions that a resume no longer finds. */
  readonly lostSessions = new Set<string>();
  stopped = false;
  /** Turns that had been run at each stop. */
  readonly stopsAfter: number[] = [];
  #sessionId: string | undefined;
  #sessions = 0;

  get facts(): AgentFacts {
    return { version: '2.1.332', pid: 4242, processStart: '1', sessionId: this.#sessionId };
  }

  async ready(wish: SessionWish): Promise<ReadyOutcome> {
    this.wishes.push(wish);
    const fault = this.readyFaults.shift();
    if (fault) return fault;
    const resumed = wish.kind === 'same' && !this.lostSessions.has(wish.sessionId);
    if (resumed) this.#sessionId = wish.sessionId;
    else {
      this.#sessions += 1;
      this.#sessionId = `s${this.#sessions}`;
    }
    return { kind: 'ready', sessionId: this.#sessionId, resumed };
  }

  async turn(request: TurnRequest, signal: AbortSignal): Promise<TurnOutcome> {
    this.prompts.push(request.prompt);
    request.onProgress?.({ sessionId: this.#sessionId, tool: undefined, outputTokens: 0 });
    return this.answer(request, signal, this);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopsAfter.push(this.prompts.length);
  }
}
