// One process of a worker: it lives, stands still, or is dead, and the dead neither hear nor do anything.
import { WorkerError } from '../../src/domain/errors.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Agenda } from './agenda.js';
import type { Chronicle } from './chronicle.js';
import type { CallTrouble } from './plan.js';
import type { Troubles } from './troubles.js';

export interface LifeWorld {
  readonly agenda: Agenda;
  readonly record: Chronicle;
  readonly troubles: Troubles;
  /** Told after everything that may have changed the disk. */
  changed(life: Life, call: string): void;
  died(life: Life, downMs: number): void;
  /** The inbox did not answer a call as it should. */
  refused(call: string, how: CallTrouble): void;
}

const EMPTY_SLEEPS = 10_000;

const never = <T>(): Promise<T> => new Promise<T>(() => {});

export class Life {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly clock: Clock;
  alive = true;
  /** When its disk last failed it, in time that has passed. */
  lastFaultAt = Number.NEGATIVE_INFINITY;
  /** Wakes by hand that it has heard. */
  wakes = 0;
  /** Looks it has begun, and when the inbox last did not answer it as it should. */
  looks = 0;
  lastRefusedAt = Number.NEGATIVE_INFINITY;
  /** Calls of ports so far: a loop that never sleeps makes it grow. */
  calls = 0;
  readonly #world: LifeWorld;
  /** How often it stood still. */
  standstills = 0;
  #frozen = false;
  #held: (() => void)[] = [];

  constructor(world: LifeWorld, name: string, host: string, pid: number) {
    this.#world = world;
    this.name = name;
    this.host = host;
    this.pid = pid;
    this.clock = {
      now: () => world.agenda.now,
      sleepUntil: (at, signal) => this.#sleepUntil(at, signal),
    };
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Dies as by SIGKILL: whatever it was doing is never heard of again. */
  kill(why: string, downMs: number): void {
    if (!this.alive) return;
    this.alive = false;
    this.#world.record.tell(this.name, `dies: ${why}`);
    this.#world.died(this, downMs);
  }

  /** Its end by itself. */
  end(): void {
    this.alive = false;
  }

  /** Stands still as under SIGSTOP; deadlines and answers that come meanwhile are met afterwards. */
  freeze(forMs: number): void {
    if (!this.alive || this.#frozen) return;
    this.#frozen = true;
    this.standstills += 1;
    this.#world.record.tell(this.name, `stands still for ${forMs} ms`);
    this.#world.agenda.after(forMs, () => {
      this.#frozen = false;
      // What came last before it is as near as it was.
      this.lastFaultAt += forMs;
      this.lastRefusedAt += forMs;
      this.standstills += 1;
      if (this.alive) this.#world.record.tell(this.name, 'goes on');
      for (const run of this.#held.splice(0)) this.#world.agenda.after(0, this.#guarded(run));
    });
  }

  after(ms: number, run: () => void): () => void {
    return this.#world.agenda.after(ms, this.#guarded(run));
  }

  /** Resolves after `ms`, or as soon as `signal` aborts; never in a dead process. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.alive) return never();
    return this.#wait((wake) => this.after(ms, wake), signal);
  }

  /** A place where it can die. Resolves at once where it does not. */
  point(name: string): Promise<void> {
    return this.dies(name) ? never() : Promise.resolve();
  }

  /** Dies here if the plan wants it. Answers whether it is dead. */
  dies(name: string): boolean {
    if (!this.alive) return true;
    const crash = this.#world.troubles.crash(name);
    if (crash) this.kill(`crash at ${name}`, crash.downMs);
    return !this.alive;
  }

  /** A call of a port whose effect is one step. `store`: it can fail as a disk fails, with nothing changed. */
  call<T>(name: string, effect: () => Promise<T>, { store = true } = {}): Promise<T> {
    if (!this.alive) return never();
    this.calls += 1;
    const { troubles } = this.#world;
    return new Promise<T>((resolve, reject) => {
      this.after(store ? troubles.storeMs(name) : 0, () => {
        if (this.dies(`${name}:before`)) return;
        if (store && troubles.storeFails(name)) {
          this.#world.record.tell(this.name, `${name} fails: the store is unusable`);
          this.lastFaultAt = this.#world.agenda.elapsed;
          reject(new WorkerError('store-unusable', `The disk is full (${name}).`));
          return;
        }
        const result = effect();
        this.#world.changed(this, name);
        if (this.dies(`${name}:after`)) result.catch(() => {});
        else result.then(resolve, reject);
      });
    });
  }

  #sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    if (!this.alive) return never();
    if (signal.aborted || at <= this.#world.agenda.now) return this.#emptySleep();
    return this.#wait(
      (wake) => (at === Infinity ? () => {} : this.#world.agenda.at(at, this.#guarded(wake))),
      signal,
    );
  }

  /** A loop that only sleeps, and never long, would not let anything else happen: not even its own discovery. */
  #emptySleep(): Promise<void> {
    const { agenda, record } = this.#world;
    agenda.emptySleeps += 1;
    if (agenda.emptySleeps < EMPTY_SLEEPS) return Promise.resolve();
    record.violate('busy', `${this.name} sleeps until what is past, over and over`);
    return never();
  }

  #wait(schedule: (wake: () => void) => () => void, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        signal?.removeEventListener('abort', over);
        callOff();
        resolve();
      };
      const callOff = schedule(over);
      signal?.addEventListener('abort', over, { once: true });
    });
  }

  #guarded(run: () => void): () => void {
    return () => {
      if (!this.alive) return;
      if (this.#frozen) this.#held.push(run);
      else run();
    };
  }
}
