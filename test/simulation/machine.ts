// A machine: it keeps one worker running, as a service manager does, and judges how each run ends.
import { WorkerError } from '../../src/domain/errors.js';
import type { RunEnd } from '../../src/worker/run-end.js';
import { Life } from './life.js';
import { DRAIN_MS, WorkerLife, type WorkerWorld } from './worker-life.js';

/** How long a stop may take beyond its drain: an interrupt, an end of the process, a slow disk. */
const STOP_SLACK_MS = 60_000;
/** 0 done, 3 lease lost, 4 agent unusable, 5 inbox unusable (once), 6 the cap of turns. */
const GOOD_ENDS: readonly number[] = [0, 3, 4, 5, 6];

export class Machine {
  current: WorkerLife | undefined;
  readonly #world: WorkerWorld;
  readonly #host: string;
  readonly #wanted: () => boolean;
  #past = 0;
  #downMs: number | undefined;

  constructor(world: WorkerWorld, host: string, wanted: () => boolean) {
    this.#world = world;
    this.#host = host;
    this.#wanted = wanted;
  }

  /** Calls of all its processes. */
  get calls(): number {
    return this.#past + (this.current?.life.calls ?? 0);
  }

  boot(afterMs: number): void {
    this.#world.agenda.after(afterMs, () => {
      if (this.current || !this.#wanted()) return;
      const pid = this.#world.nextPid();
      const life = new Life(this.#world, `${this.#host}${pid}`, this.#host, pid);
      const worker = new WorkerLife(this.#world, life);
      this.current = worker;
      this.#world.record.tally.starts += 1;
      worker.run().then(
        (end) => this.#ended(worker, end),
        (error) => this.#failed(worker, error),
      );
    });
  }

  /** Its process is gone from one moment to the next. */
  died(downMs: number): void {
    this.#over(downMs);
  }

  stop(how: 'drain' | 'force', thenForceMs: number | undefined, downMs: number): void {
    const worker = this.current;
    if (!worker) return;
    this.#downMs = downMs;
    worker.stop(how);
    if (thenForceMs !== undefined) worker.life.after(thenForceMs, () => worker.stop('force'));
  }

  /** Every stop ends in time, whoever asked for it. */
  watchStop(how: 'drain' | 'force'): void {
    const worker = this.current;
    if (!worker) return;
    const most = (how === 'drain' ? DRAIN_MS : 0) + STOP_SLACK_MS;
    const { standstills } = worker.life;
    const { agenda, record } = this.#world;
    const { jumps } = agenda;
    agenda.after(most, () => {
      if (this.current !== worker) return;
      // The time in which it stood still does not count, and a clock that is set back carries its deadline along.
      const still = worker.life.frozen || worker.life.standstills !== standstills;
      if (still || agenda.jumps !== jumps) this.watchStop(how);
      else record.violate('stop', `${worker.life.name} has not stopped ${most} ms after ${how}`);
    });
  }

  #ended(worker: WorkerLife, end: RunEnd | undefined): void {
    const { record, plan } = this.#world;
    record.tell(worker.life.name, end ? `ends: exit ${end.exitCode}, ${end.text}` : 'leaves');
    // A run for cron does not wait for a disk that fails: it says so and ends.
    const tired = plan.setting.once && end?.exitCode === 1 && end.error?.code === 'store-unusable';
    if (end && !tired && !GOOD_ENDS.includes(end.exitCode)) {
      const cause = end.error?.cause;
      record.violate(
        'exit',
        `exit ${end.exitCode}: ${end.text} ${cause instanceof Error ? cause.stack : ''}`,
      );
    }
    if (end?.exitCode === 6 && plan.setting.maxTurns === 'unlimited' && plan.setting.budget === 'none')
      record.violate('exit', 'a cap that is not set');
    if (end && end.exitCode !== 3) this.#world.left(worker.life);
    worker.life.end();
    const again = plan.setting.once ? 5 * 60_000 : 10_000;
    this.#over(this.#downMs ?? (end?.exitCode === 4 ? 60_000 : again));
  }

  /** A start that failed: only our own disk or lease may be the reason. */
  #failed(worker: WorkerLife, error: unknown): void {
    const { record } = this.#world;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const known = error instanceof WorkerError && ['store-unusable', 'lease-lost'].includes(error.code);
    if (!known) record.violate('exit', text);
    record.tell(worker.life.name, `fails: ${error instanceof Error ? error.message : text}`);
    worker.life.end();
    this.#over(10_000);
  }

  #over(downMs: number): void {
    this.#past += this.current?.life.calls ?? 0;
    this.current = undefined;
    this.#downMs = undefined;
    if (this.#wanted()) this.boot(downMs);
  }
}
