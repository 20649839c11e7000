// The port Agent over Claude Code: which process runs, which session it holds, and when it is replaced.
import { NO_USAGE, type TurnOutcome } from '../domain/turn.js';
import type { Agent, AgentFacts, ReadyOutcome, SessionWish, TurnRequest } from '../ports/agent.js';
import type { Opening } from './argv.js';
import { Breaker } from './breaker.js';
import { clearConversation } from './clear.js';
import { type AgentTimings, type ClaudeAgentOptions, DEFAULT_TIMINGS } from './options.js';
import { awaitGateway } from './readiness.js';
import type { Running } from './running.js';
import { outcomeOf, type StartOutcome, startClaude } from './start.js';
import { StderrLog } from './stderr-log.js';
import { runTurn } from './turn.js';

type FailedStart = Extract<StartOutcome, { kind: 'unusable' | 'not-ready' }>;

/** One Claude Code process, started when it is first wanted and kept warm. */
export function claudeAgent(options: ClaudeAgentOptions): Agent {
  return new ClaudeAgent(options);
}

class ClaudeAgent implements Agent {
  readonly #options: ClaudeAgentOptions;
  readonly #timings: AgentTimings;
  readonly #mark: string;
  readonly #log: StderrLog;
  readonly #breaker = new Breaker<FailedStart>();
  #running: Running | undefined;
  /** The start that is under way, for `stop` to call off and wait for. */
  #starting: { readonly off: AbortController; readonly done: Promise<unknown> } | undefined;

  constructor(options: ClaudeAgentOptions) {
    this.#options = options;
    this.#timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#mark = options.mark ?? options.ids.uuid();
    this.#log = new StderrLog(options.stderrLog, {
      now: () => options.clock.now(),
      onTrouble: (what) => this.#odd(what),
    });
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
    const held = this.#running;
    if (held?.alive) {
      const kept = await this.#keep(held, wish, signal);
      if (kept) return kept;
    } else if (held?.diedHow !== undefined) this.#odd(`Between two turns: ${held.diedHow}.`);
    // Also when it is dead already: what it had started may still run.
    await held?.retire(this.#timings.endMs);
    this.#running = undefined;
    return this.#begin(wish, signal);
  }

  async turn(request: TurnRequest, signal: AbortSignal): Promise<TurnOutcome> {
    const running = this.#running;
    if (!running?.alive) {
      const message = running?.diedHow ?? 'there was no process to run it';
      return { kind: 'died', message, sessionId: running?.sessionId, usage: NO_USAGE, promptKept: false };
    }
    const { clock, environment } = this.#options;
    return runTurn(running, request, signal, { clock, environment, timings: this.#timings });
  }

  async stop(deadlineMs: number): Promise<void> {
    const starting = this.#starting;
    starting?.off.abort();
    await starting?.done.catch(() => undefined);
    await this.#running?.retire(deadlineMs);
    this.#running = undefined;
    await this.#log.flush();
  }

  /** The outcome if the process that is up holds the wished session, or can be brought to it. */
  async #keep(running: Running, wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome | undefined> {
    if (wish.kind === 'same' && wish.sessionId !== running.sessionId) return undefined;
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
    this.#odd(`Claude Code is replaced between two turns. ${why}`);
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
    const off = new AbortController();
    const done = startClaude({
      agent: this.#options,
      timings: this.#timings,
      mark: this.#mark,
      log: this.#log,
      opening,
      signal: AbortSignal.any([signal, off.signal]),
    }).catch(outcomeOf);
    this.#starting = { off, done };
    try {
      return await done;
    } finally {
      this.#starting = undefined;
    }
  }

  #odd(what: string): void {
    this.#options.onOddity?.(what);
  }
}

function tooEarly(outcome: FailedStart, waitMs: number): ReadyOutcome {
  if (outcome.kind === 'unusable') return outcome;
  return { ...outcome, message: `${outcome.message} The next try is in ${Math.ceil(waitMs / 1000)} s.` };
}
