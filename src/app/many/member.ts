// One agent of several: started, started again where waiting can help, run to its end. What befalls it stays with it.

import type { AgentLine } from '../../control/index.js';
import { type ErrorCode, EXIT, WorkerError } from '../../domain/errors.js';
import type { Fitness } from '../../domain/health.js';
import { retryDelayMs } from '../../domain/retry.js';
import type { WakeKind } from '../../domain/wake.js';
import { deferred } from '../../lib/deferred.js';
import type { AgentState } from '../../observe/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Random } from '../../ports/ids.js';
import type { Observer, WorkerEvent } from '../../ports/observer.js';
import type { ServiceAgent } from '../../service/index.js';
import { endOfCrash, type RunEnd } from '../../worker/run-end.js';
import type { ComposedAgent } from '../compose.js';

export interface MemberWish {
  readonly name: string;
  /** Said first. */
  readonly greeting: string;
  /** Works off what waits and ends; waits for nothing. */
  readonly once: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Where it tells of itself while there is no agent that could. */
  readonly observer: Observer;
  /** What a service manager sees of it. */
  readonly view: ServiceAgent | undefined;
  /** As `compose`: the signal ends a wait for the lease, the observer hears the agent's events. */
  compose(signal: AbortSignal, observer: Observer): Promise<ComposedAgent | 'aborted'>;
}

/** What somebody may mend, or what may pass, while the others go on. */
const HEALS: readonly ErrorCode[] = [
  'lease-held',
  'store-unusable',
  'store-unreachable',
  'inbox-down',
  'claude-not-found',
  'claude-too-old',
  'claude-failed',
  'claude-unauthorised',
];
/** Its Claude Code process is up, or will not be for now. */
const SETTLING: readonly WorkerEvent['type'][] = ['agent-ready', 'agent-not-ready', 'standing-by'];

const RETRY = { baseMs: 5_000, maxMs: 5 * 60_000 };

/** After a crash its loops may hang: then it is given up, so that at least its lease is given back. */
const CRASH_MS = 10_000;

const DRAINED: RunEnd = { exitCode: EXIT.done, text: 'drained before it had begun' };

export class Member {
  readonly name: string;
  readonly #wish: MemberWish;
  readonly #stopping = new AbortController();
  readonly #crashed = deferred();
  readonly #settled = deferred();
  #crash: RunEnd | undefined;
  /** The last failure of a start that was told of. */
  #told: ErrorCode | undefined;
  #agent: ComposedAgent | undefined;
  #endedWell = false;
  #state: AgentState = 'starting';

  constructor(wish: MemberWish) {
    this.#wish = wish;
    this.name = wish.name;
  }

  /** Resolves when its start is over, well or not: its Claude Code process is up, or will not be for now. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  async health(): Promise<AgentLine['health']> {
    if (this.#state !== 'running' || !this.#agent) return this.#state === 'running' ? 'ended' : this.#state;
    try {
      return (await this.#agent.status()).health;
    } catch {
      // Its store is being closed.
      return 'ended';
    }
  }

  /** As `/healthz` has it. An end that was wanted is none that a load balancer should hear of: undefined. */
  get fitness(): Fitness | undefined {
    if (this.#agent) return this.#agent.fitness();
    if (this.#state !== 'ended') return { ok: false, status: 'starting' };
    return this.#endedWell ? undefined : { ok: false, status: 'stopping' };
  }

  get state(): AgentState {
    return this.#state;
  }

  async metrics(): Promise<string | undefined> {
    return this.#agent?.metrics();
  }

  /** In its log, whether it runs or not. */
  tell(level: 'info' | 'warn' | 'error', text: string): void {
    this.#wish.observer.on({ type: 'notice', level, text });
  }

  wake(kind: WakeKind): void {
    this.#agent?.wake(kind);
  }

  /** What comes of it is told in its log. One that has not started reads its files when it does. */
  reload(): void {
    this.#agent?.reload().catch(() => {});
  }

  stop(how: 'drain' | 'force', text: string): void {
    this.#stopping.abort();
    this.#agent?.stop(how, text);
  }

  /** An error of its own that nobody caught. */
  crash(error: unknown): void {
    this.#crash ??= endOfCrash(error);
    this.#crashed.resolve();
    this.stop('force', this.#crash.text);
  }

  /** Never rejects. Everything the agent took is given back when it resolves. */
  async run(): Promise<RunEnd> {
    this.tell('info', this.#wish.greeting);
    try {
      return this.#ended(await this.#live());
    } catch (error) {
      return this.#ended(endOfCrash(error));
    } finally {
      this.#state = 'ended';
      this.#settled.resolve();
      this.#wish.view?.end();
    }
  }

  #ended(end: RunEnd): RunEnd {
    const last = this.#crash ?? end;
    this.#endedWell = last.exitCode === EXIT.done || last.exitCode === EXIT.overBudget;
    return last;
  }

  async #live(): Promise<RunEnd> {
    const { clock, random } = this.#wish;
    const { signal } = this.#stopping;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const agent = await this.#start();
      if (agent === 'aborted') break;
      if (!(agent instanceof WorkerError)) return await this.#runToEnd(agent);
      if (this.#wish.once || !HEALS.includes(agent.code)) return endOfCrash(agent);
      const delayMs = retryDelayMs(failures, RETRY, random.next());
      this.#tellOfWait(agent, delayMs);
      await clock.sleepUntil(clock.now() + delayMs, signal);
    }
    return DRAINED;
  }

  /** @throws what is no WorkerError */
  async #start(): Promise<ComposedAgent | 'aborted' | WorkerError> {
    this.#state = 'starting';
    const observer: Observer = {
      on: (event) => {
        // On standby it waits within its start.
        if (event.type === 'standing-by') this.#state = 'waiting';
        if (SETTLING.includes(event.type)) this.#settled.resolve();
        this.#wish.view?.on(event);
      },
    };
    try {
      return await this.#wish.compose(this.#stopping.signal, observer);
    } catch (error) {
      if (error instanceof WorkerError) return error;
      throw error;
    }
  }

  async #runToEnd(agent: ComposedAgent): Promise<RunEnd> {
    this.#agent = agent;
    this.#state = 'running';
    this.#wish.view?.watch(() => agent.status());
    // A signal that came while everything was being made.
    if (this.#stopping.signal.aborted) agent.stop('drain', 'a stop was asked for at start');
    const over = new AbortController();
    try {
      const running = this.#wish.once ? agent.runOnce() : agent.run();
      return await Promise.race([running, this.#hung(over.signal)]);
    } finally {
      over.abort();
      this.#agent = undefined;
      await agent.close();
    }
  }

  /** Resolves some time after a crash. */
  async #hung(over: AbortSignal): Promise<RunEnd> {
    await this.#crashed.promise;
    const { clock } = this.#wish;
    await clock.sleepUntil(clock.now() + CRASH_MS, over);
    return DRAINED;
  }

  #tellOfWait({ code, message, hint }: WorkerError, delayMs: number): void {
    this.#state = 'waiting';
    this.#settled.resolve();
    this.#wish.view?.on({ type: 'standing-by', text: message });
    if (this.#told === code) return;
    this.#told = code;
    const text = `It cannot start: ${message} ${hint} It is tried again in ${Math.round(delayMs / 1000)} s, then less and less often.`;
    this.tell('warn', text);
  }
}
