// The port Agent over Claude Code: which process runs, which session it holds, and when it is replaced.
import { NO_USAGE, type TurnOutcome } from '../domain/turn.js';
import type { Agent, AgentFacts, ReadyOutcome, SessionWish, TurnRequest } from '../ports/agent.js';
import type { Opening } from './argv.js';
import { Breaker } from './breaker.js';
import { clearConversation } from './clear.js';
import { Fatigue } from './fatigue.js';
import {
  type AgentTimings,
  type ClaudeAgentChange,
  type ClaudeAgentOptions,
  DEFAULT_TIMINGS,
} from './options.js';
import { awaitGateway } from './readiness.js';
import type { Running } from './running.js';
import { SessionPrompts } from './session-prompts.js';
import { calledOff, outcomeOf, type StartOutcome, startClaude } from './start.js';
import { StderrLog } from './stderr-log.js';
import { runTurn } from './turn.js';

type FailedStart = Extract<StartOutcome, { kind: 'unusable' | 'not-ready' }>;

export interface ChangeableAgent extends Agent {
  /**
   * What Claude Code is started with from now on. A process that was started otherwise is replaced before its next
   * turn, and its session resumed; a turn that runs is left alone. A start that failed may be tried again at once.
   */
  change(to: ClaudeAgentChange): void;
}

/** One Claude Code process, started when it is first wanted and kept warm. */
export function claudeAgent(options: ClaudeAgentOptions): ChangeableAgent {
  return new ClaudeAgent(options);
}

class ClaudeAgent implements ChangeableAgent {
  #options: ClaudeAgentOptions;
  /** The options that the process which is up was started with. */
  #startedWith: ClaudeAgentOptions;
  readonly #timings: AgentTimings;
  readonly #mark: string;
  readonly #log: StderrLog;
  readonly #breaker = new Breaker<FailedStart>();
  readonly #prompts: SessionPrompts;
  #running: Running | undefined;
  #fatigue: Fatigue | undefined;
  /** The `ready` that is under way, for `stop` to call off and wait for. */
  #gettingReady: { readonly off: AbortController; readonly done: Promise<unknown> } | undefined;

  constructor(options: ClaudeAgentOptions) {
    this.#options = options;
    this.#startedWith = options;
    this.#timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#mark = options.mark ?? options.ids.uuid();
    this.#prompts = new SessionPrompts(options.stateFolder);
    this.#log = new StderrLog(options.stderrLog, {
      now: () => options.clock.now(),
      onTrouble: (what) => this.#odd(what),
    });
  }

  change(to: ClaudeAgentChange): void {
    this.#options = { ...this.#options, ...to };
    if (this.#fatigue) this.#fatigue.limits = to.recycle ?? {};
    this.#breaker.succeeded();
  }

  get facts(): AgentFacts {
    const running = this.#running?.alive ? this.#running : undefined;
    return {
      version: running?.version ?? this.#options.version,
      pid: running?.child.pid,
      processStart: running?.child.processStart,
      sessionId: running?.sessionId,
    };
  }

  async ready(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    const off = new AbortController();
    // Linked by hand: AbortSignal.any leaks on a signal that lives as long as the worker.
    const onAbort = (): void => off.abort();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) off.abort();
    const done = this.#getReadyFor(wish, off.signal);
    this.#gettingReady = { off, done };
    try {
      return await done;
    } finally {
      this.#gettingReady = undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  async turn(request: TurnRequest, signal: AbortSignal): Promise<TurnOutcome> {
    const running = this.#running;
    if (!running?.alive) {
      const message = running?.diedHow ?? 'there was no process to run it';
      return { kind: 'died', message, sessionId: running?.sessionId, usage: NO_USAGE, promptKept: false };
    }
    const { clock, environment } = this.#options;
    if (this.#fatigue) this.#fatigue.turns += 1;
    const outcome = await runTurn(running, request, signal, { clock, environment, timings: this.#timings });
    // Its end is told by the outcome, and all it had started is gone. One that died just now is found by `ready`.
    if (running.retired) this.#running = undefined;
    return outcome;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#gettingReady?.off.abort();
    // Also the one that `ready` is waiting for an answer from: it is ended under it.
    await Promise.all([this.#running?.retire(deadlineMs), this.#gettingReady?.done.catch(() => undefined)]);
    // One that became ready in the very last moment; for any other this is nothing new.
    await this.#running?.retire(0);
    this.#running = undefined;
    await this.#log.flush();
  }

  /** A session that speaks under another system prompt is gone: a fresh one begins, and is remembered by its own. */
  async #getReadyFor(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    const prompts = this.#options;
    const outgrown = wish.kind === 'same' && (await this.#prompts.areOthers(wish.sessionId, prompts));
    if (outgrown) this.#odd('The system prompt is another one now: a fresh session is begun.');
    const ready = await this.#getReady(outgrown ? { kind: 'fresh' } : wish, signal);
    if (ready.kind === 'ready' && !ready.resumed && ready.sessionId !== undefined) {
      await this.#prompts
        .note(ready.sessionId, prompts)
        .catch(() => this.#odd('A session could not be noted.'));
    }
    return ready;
  }

  async #getReady(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    const held = this.#running;
    if (held?.alive) {
      const kept = await this.#keep(held, wish, signal);
      if (kept) return kept;
    }
    if (signal.aborted) return calledOff;
    // Its end may have been noticed only while it was looked after.
    if (held?.diedHow !== undefined) this.#odd(`Claude Code ended between two turns: ${held.diedHow}.`);
    // Also when it is dead already: what it had started may still run.
    await held?.retire(this.#timings.endMs);
    this.#running = undefined;
    return this.#begin(wish, signal);
  }

  /** The outcome if the process that is up holds the wished session, or can be brought to it. */
  async #keep(running: Running, wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome | undefined> {
    if (wish.kind === 'same' && wish.sessionId !== running.sessionId) return undefined;
    const outdated = isOutdated(this.#startedWith, this.#options) ? 'its settings are others now' : undefined;
    const tired = outdated ?? this.#fatigue?.reason();
    if (tired !== undefined) {
      this.#odd(`Claude Code is replaced between two turns: ${tired}.`);
      return undefined;
    }
    if (!(await this.#stillReady(running, signal))) return undefined;
    if (wish.kind === 'fresh' && running.dirty) {
      const cleared = await clearConversation(running, this.#options.ids.uuid(), this.#timings.clearMs);
      if (!cleared) return undefined;
    }
    return { kind: 'ready', sessionId: running.sessionId, resumed: wish.kind === 'same' };
  }

  /** A process can hang, or lose the gateway, between turns: found out here in milliseconds, else by the watchdog. */
  async #stillReady(running: Running, signal: AbortSignal): Promise<boolean> {
    if (!running.proven) return true;
    const gate = await awaitGateway(running.protocol, {
      gatewayName: this.#options.gateway.name,
      limitMs: this.#timings.controlMs,
      timings: { ...this.#timings, otherServersMs: 0 },
      signal,
    }).catch(() => undefined);
    if (gate?.kind === 'ready' && gate.proven) return true;
    const why = gate?.kind === 'not-ready' ? gate.message : 'It does not answer any more.';
    if (!signal.aborted && running.alive) this.#odd(`Claude Code is replaced between two turns. ${why}`);
    return false;
  }

  async #begin(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    const { clock, ids } = this.#options;
    const blocked = this.#breaker.blocking(clock.now());
    if (blocked) return tooEarly(blocked.outcome, blocked.untilAt - clock.now());
    const fresh = (): Opening => ({ kind: 'fresh', sessionId: ids.uuid() });
    const opening: Opening = wish.kind === 'same' ? { kind: 'resume', sessionId: wish.sessionId } : fresh();
    let outcome = await this.#start(opening, signal);
    let resumed = wish.kind === 'same';
    if (outcome.kind === 'unknown-session') {
      this.#odd(`The session ${opening.sessionId} is gone; a fresh one is begun.`);
      resumed = false;
      outcome = await this.#start(fresh(), signal);
    }
    if (outcome.kind === 'started') {
      this.#breaker.succeeded();
      this.#running = outcome.running;
      this.#fatigue = new Fatigue({
        pid: outcome.running.child.pid,
        file: this.#options.claudePath,
        limits: this.#options.recycle ?? {},
        clock: this.#options.clock,
      });
      return { kind: 'ready', sessionId: outcome.running.sessionId, resumed };
    }
    const failed: FailedStart =
      outcome.kind === 'unknown-session'
        ? { kind: 'not-ready', message: 'Claude Code does not know the session it was to begin.' }
        : outcome;
    if (!signal.aborted) this.#breaker.failed(failed, clock.now());
    return failed;
  }

  async #start(opening: Opening, signal: AbortSignal): Promise<StartOutcome> {
    this.#startedWith = this.#options;
    return startClaude({
      agent: this.#options,
      timings: this.#timings,
      mark: this.#mark,
      log: this.#log,
      opening,
      signal,
    }).catch(outcomeOf);
  }

  #odd(what: string): void {
    this.#options.onOddity?.(what);
  }
}

/** Does the process that was started with `was` have to be another one? */
function isOutdated(was: ClaudeAgentOptions, now: ClaudeAgentOptions): boolean {
  const seen = ({ model, systemPrompt, appendSystemPrompt, environment, maxBudgetUsd }: ClaudeAgentOptions) =>
    JSON.stringify([
      model,
      systemPrompt,
      appendSystemPrompt,
      maxBudgetUsd,
      Object.entries(environment).sort(),
    ]);
  return was !== now && seen(was) !== seen(now);
}

function tooEarly(outcome: FailedStart, waitMs: number): ReadyOutcome {
  if (outcome.kind === 'unusable') return outcome;
  return { ...outcome, message: `${outcome.message} The next try is in ${Math.ceil(waitMs / 1000)} s.` };
}
