// The port Agent without Claude Code: a process that starts, holds sessions, and ends; what its turns do is elsewhere.
import { WorkerError } from '../../src/domain/errors.js';
import type { SendKind } from '../../src/domain/outbox.js';
import { NO_USAGE, type TurnOutcome } from '../../src/domain/turn.js';
import type { Agent, AgentFacts, ReadyOutcome, SessionWish, TurnRequest } from '../../src/ports/agent.js';
import type { Desk } from '../../src/worker/desk.js';
import type { Life, LifeWorld } from './life.js';
import type { Setting } from './plan.js';
import { type PlayedTurn, playTurn } from './play-turn.js';

/** What a session's record on disk holds. */
export interface SessionRecord {
  readonly id: string;
  readonly conversations: Set<string>;
  readonly claims: Set<string>;
}

export interface Child {
  readonly pid: number;
  readonly token: string;
  alive: boolean;
  session: SessionRecord;
  /** Ends the turn that runs, when the process dies under it. */
  onDeath: (() => void) | undefined;
}

/** What outlives the agent's process and the worker's: records on disk, and the numbers of things. */
export interface AgentWorld extends LifeWorld {
  readonly setting: Setting;
  readonly sessions: Map<string, SessionRecord>;
  nextPid(): number;
  nextSession(): string;
  nextTurn(): number;
  /** Told before the prompt is written. Answers the claim it is for. */
  turnBegins(life: Life, request: TurnRequest, session: SessionRecord): PlayedTurn;
  /** It did not even begin: there was no process any more. */
  turnFailed(request: TurnRequest): void;
  sends(turn: PlayedTurn, kind: SendKind, to: string, change: 1 | -1): void;
  turnEnded(life: Life, turn: PlayedTurn, outcome: TurnOutcome): void;
}

export class SimAgent implements Agent {
  readonly #world: AgentWorld;
  readonly #life: Life;
  readonly #desk: Desk;
  readonly #onSpawn: (pid: number, start: string) => Promise<void>;
  #child: Child | undefined;
  #busy = false;

  constructor(
    world: AgentWorld,
    life: Life,
    desk: Desk,
    onSpawn: (pid: number, start: string) => Promise<void>,
  ) {
    this.#world = world;
    this.#life = life;
    this.#desk = desk;
    this.#onSpawn = onSpawn;
  }

  get facts(): AgentFacts {
    const child = this.#child?.alive ? this.#child : undefined;
    return { version: '1', pid: child?.pid, processStart: child && '1', sessionId: child?.session.id };
  }

  /** The process that would outlive us. */
  get childPid(): number | undefined {
    return this.#child?.alive ? this.#child.pid : undefined;
  }

  async ready(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    this.#mustBeIdle('ready');
    const { troubles } = this.#world;
    const life = this.#life;
    life.calls += 1;
    await life.point('agent.ready:before');
    const fault = troubles.notReady;
    if (fault?.hangs) await life.pause(60_000, signal);
    if (troubles.unusable) {
      this.#retire();
      return { kind: 'unusable', error: new WorkerError('claude-not-found', 'Claude Code is not there.') };
    }
    if (fault) this.#retire();
    if (fault) return { kind: 'not-ready', message: 'The gateway did not connect.' };
    const outcome = await this.#bring(wish, signal);
    await life.point('agent.ready:after');
    return outcome;
  }

  async turn(request: TurnRequest, signal: AbortSignal): Promise<TurnOutcome> {
    this.#mustBeIdle('turn');
    const life = this.#life;
    const child = this.#child;
    life.calls += 1;
    if (!child?.alive || signal.aborted) {
      if (!signal.aborted) this.#world.turnFailed(request);
      const end = { sessionId: child?.session.id, usage: NO_USAGE, promptKept: false };
      return signal.aborted
        ? { kind: 'interrupted', reason: 'called off', ...end }
        : { kind: 'died', message: 'there was no process', ...end };
    }
    await life.point('agent.turn:before');
    this.#busy = true;
    const turn = this.#world.turnBegins(life, request, child.session);
    const outcome = await playTurn({
      world: this.#world,
      life,
      desk: this.#desk,
      child,
      request,
      signal,
      turn,
    });
    if (!child.alive) this.#retire();
    this.#busy = false;
    this.#world.turnEnded(life, turn, outcome);
    await life.point('agent.turn:after');
    return outcome;
  }

  async stop(deadlineMs: number): Promise<void> {
    const life = this.#life;
    await life.point('agent.stop:before');
    if (this.#child?.alive) await life.pause(this.#world.troubles.draw('stop') * deadlineMs);
    this.#retire();
    await life.point('agent.stop:after');
  }

  /** Something outside ends the process. */
  dieOutside(): void {
    const child = this.#child;
    if (!child?.alive) return;
    this.#world.record.tell(this.#life.name, `Claude ${child.pid} dies`);
    child.alive = false;
    this.#life.after(0, () => child.onDeath?.());
  }

  async #bring(wish: SessionWish, signal: AbortSignal): Promise<ReadyOutcome> {
    const { sessions, troubles } = this.#world;
    const held = this.#child;
    const calledOff: ReadyOutcome = { kind: 'not-ready', message: 'called off' };
    if (held?.alive && (wish.kind === 'fresh' || wish.sessionId === held.session.id)) {
      await this.#life.pause(troubles.drawMs('clear', 1, 200), signal);
      if (signal.aborted) return calledOff;
      if (held.alive) {
        const dirty = held.session.conversations.size > 0;
        if (wish.kind === 'fresh' && dirty) held.session = this.#begin();
        return { kind: 'ready', sessionId: held.session.id, resumed: wish.kind === 'same' };
      }
    }
    this.#retire();
    await this.#life.pause(troubles.drawMs('spawn', 200, 20_000), signal);
    if (signal.aborted) return calledOff;
    const kept = wish.kind === 'same' ? sessions.get(wish.sessionId) : undefined;
    const child: Child = {
      pid: this.#world.nextPid(),
      token: this.#desk.issueToken(0),
      alive: true,
      session: kept ?? this.#begin(),
      onDeath: undefined,
    };
    this.#child = child;
    try {
      await this.#onSpawn(child.pid, '1');
    } catch {
      this.#retire();
      return { kind: 'not-ready', message: 'what was started could not be noted' };
    }
    return { kind: 'ready', sessionId: child.session.id, resumed: kept !== undefined };
  }

  #begin(): SessionRecord {
    const id = this.#world.nextSession();
    const session = { id, conversations: new Set<string>(), claims: new Set<string>() };
    this.#world.sessions.set(id, session);
    return session;
  }

  #retire(): void {
    if (!this.#child) return;
    this.#desk.revokeToken(this.#child.token);
    this.#child.alive = false;
    this.#child = undefined;
  }

  #mustBeIdle(call: string): void {
    if (this.#busy) this.#world.record.violate('one-turn', `${call} was called while a turn runs`);
  }
}
