// The worker: three loops over one mailbox. Looking, working and sending never wait for each other.
import { EXIT, type WorkerError } from '../domain/errors.js';
import type { Status } from '../domain/status.js';
import type { WakeKind } from '../domain/wake.js';
import type { Desk } from './desk.js';
import { holdFor } from './faults.js';
import { Gate } from './gate.js';
import { HoldBoard } from './hold-board.js';
import { Latch } from './latch.js';
import { Looker } from './looker.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { recover } from './recovery.js';
import { endOfCrash, endOfHold, endOfLook, LEASE_LOST, type RunEnd } from './run-end.js';
import { Sender } from './sender.js';
import { Ticker } from './ticker.js';
import { WorkerView } from './view.js';
import { WaitNotice } from './wait-notice.js';
import { WakeDesk } from './wake-desk.js';

/** The loop looks again at holds, pause and retries at least this often. */
const RECHECK_MS = 30_000;

/**
 * States: new → running → draining → ended, or straight to ended by force. `run` and `runOnce` resolve when the
 * loops are over, what could be sent is sent, and the agent is gone; then the lease may be given back.
 */
export class Worker {
  readonly view: WorkerView;
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #holds: HoldBoard;
  readonly #looker: Looker;
  readonly #ticker: Ticker;
  readonly #gate: Gate;
  readonly #sender: Sender;
  readonly #waitNotice: WaitNotice;
  readonly #wakes: WakeDesk;
  readonly #work = new Latch<true>(() => 'work');
  readonly #quiet = new AbortController();
  readonly #force = new AbortController();
  #forced = false;
  #end: RunEnd | undefined;

  constructor(parts: WorkerParts, given: WorkerOptions, desk: Desk) {
    const options = { ...given };
    const isQuiet = () => this.#quiet.signal.aborted;
    this.#parts = parts;
    this.#options = options;
    this.#wakes = new WakeDesk(parts.wakeSources, parts.clock);
    this.#holds = new HoldBoard(parts.clock, parts.observer);
    this.#sender = new Sender(parts, options, this.#holds);
    this.#waitNotice = new WaitNotice(parts, options, this.#holds, () => this.#sender.poke());
    this.#looker = new Looker(parts, options, this.#holds, {
      onMail: () => {
        this.#work.set(true);
        this.#waitNotice.poke();
      },
      onReached: () => this.#sender.reached(),
    });
    this.#ticker = new Ticker(parts, options, this.#holds, desk, () => this.#sender.poke());
    this.#gate = new Gate(parts, options, this.#holds, this.#ticker.guard, {
      isQuiet,
      turns: () => this.#ticker.turns,
      onStop: () => this.stop('drain', 'the control file `stop` was found'),
    });
    const pieces = { holds: this.#holds, gate: this.#gate, ticker: this.#ticker, wakes: this.#wakes };
    const run = { look: this.#looker.facts, startedAt: parts.clock.now(), isStopping: isQuiet };
    this.view = new WorkerView({ parts, options, ...pieces, ...run });
  }

  wake(kind: WakeKind): void {
    this.#looker.wake(kind);
    this.#work.set(true);
    this.#sender.poke();
  }

  /** `drain` takes nothing new and lets the running turn end by the drain deadline; `force` ends it now. */
  stop(how: 'drain' | 'force', text: string): void {
    if (this.#force.signal.aborted) return;
    if (how === 'force' || !this.#quiet.signal.aborted)
      this.#parts.observer.on({ type: 'stopping', how, text });
    if (!this.#quiet.signal.aborted) {
      this.#quiet.abort();
      void this.#forceAfterDrain();
    }
    if (how !== 'force') return;
    this.#forced = true;
    this.#force.abort();
  }

  /**
   * New options, in force at once and as a whole: each rule reads them where it asks, and a turn that runs keeps the
   * limits it began with. Whoever waits by the old ones looks again.
   */
  renew(options: WorkerOptions): void {
    Object.assign(this.#options, options);
    this.#holds.retryNow('agent-not-ready', 'agent-unauthorised', 'credit-exhausted');
    this.#looker.renewed();
    this.#work.set(true);
    this.#waitNotice.poke();
    this.#sender.poke();
  }

  status(): Promise<Status> {
    return this.view.status();
  }

  /** Runs until it is stopped, or until a cap or something that waiting cannot help ends it. */
  async run(): Promise<RunEnd> {
    await this.#begin();
    void this.#parts.lease.lost.then(() => this.#loseLease());
    const loops = [
      this.#looker.run(this.#quiet.signal, this.#force.signal),
      this.#workLoop(),
      this.#sender.run(this.#quiet.signal, this.#force.signal),
      this.#waitNotice.run(this.#quiet.signal),
    ];
    // One loop that fails for a reason nobody foresaw must not leave the others running half a worker.
    for (const loop of loops) loop.catch((error) => this.#crash(error));
    this.#wakes.start(
      (kind) => this.wake(kind),
      (error) => this.#crash(error),
    );
    await Promise.allSettled(loops);
    await this.#wakes.stop();
    return this.#finish();
  }

  /** Looks once, works off what waits, sends it, ends: for cron. */
  async runOnce(): Promise<RunEnd> {
    await this.#begin();
    void this.#parts.lease.lost.then(() => this.#loseLease());
    try {
      const looked = await this.#looker.look(['start'], this.#force.signal);
      if (looked.kind !== 'looked') this.#end = endOfLook(looked);
      await this.#workOff();
      await this.#sender.flush(this.#force.signal);
      const hold = this.#holds.blocking();
      if (hold) this.#end ??= endOfHold(hold);
    } catch (error) {
      this.#crash(error);
    }
    return this.#finish();
  }

  async #begin(): Promise<void> {
    const { observer } = this.#parts;
    observer.on({ type: 'started', inbox: this.#options.inbox, folder: this.#options.folder });
    await recover(this.#parts, this.#options);
    await this.#ticker.session.load();
  }

  async #workLoop(): Promise<void> {
    const { clock } = this.#parts;
    const unusable = await this.#ticker.warmUp(this.#quiet.signal);
    if (unusable) this.#giveUp(unusable);
    while (!this.#quiet.signal.aborted) {
      this.#work.take();
      const result = await this.#pass();
      if (result === 'worked') this.#looker.pulse('settled');
      else if (result !== 'capped') await this.#work.wait(result, clock, this.#quiet.signal);
    }
  }

  /** Passes until nothing is left that may go now. */
  async #workOff(): Promise<void> {
    while (!this.#quiet.signal.aborted) {
      if (typeof (await this.#pass()) === 'number') return;
    }
  }

  /** Decides, and ticks if it may. Answers `worked`, or until when to wait. */
  async #pass(): Promise<'worked' | 'capped' | number> {
    try {
      return await this.#decideAndTick();
    } catch (error) {
      if (!holdFor(error, this.#holds)) throw error;
      return this.#recheckAt();
    }
  }

  async #decideAndTick(): Promise<'worked' | 'capped' | number> {
    const { flags } = this.#parts;
    const { decision, spent } = await this.#gate.ask();
    if (decision.kind === 'wait') return Math.min(decision.hold.until ?? Infinity, this.#recheckAt());
    if (decision.kind === 'end') {
      if (decision.reason === 'over-budget' && spent !== undefined) this.#capReached(spent);
      if (decision.reason === 'max-iterations') {
        this.#capReached(`The cap of ${this.#options.maxTurns} turns is reached.`);
      }
      this.stop('drain', this.#end?.text ?? 'done');
      return this.#recheckAt();
    }
    const result = await this.#ticker.tick(() => this.#gate.isOpen(), this.#force.signal);
    if (await flags.take('did-work')) this.#looker.pulse('did-work');
    if (result.kind === 'worked' || result.kind === 'capped') return result.kind;
    if (result.kind === 'unusable') this.#giveUp(result.error);
    const nextAt = result.kind === 'nothing' ? result.nextAt : this.#holds.blocking()?.until;
    return Math.min(nextAt ?? Infinity, this.#recheckAt());
  }

  #recheckAt(): number {
    return this.#parts.clock.now() + RECHECK_MS;
  }

  #capReached(text: string): void {
    this.#end ??= { exitCode: EXIT.overBudget, text };
  }

  #giveUp(error: WorkerError): void {
    this.#end ??= { exitCode: error.exitCode, text: error.message, error };
    this.stop('drain', error.message);
  }

  #loseLease(): void {
    this.#end ??= LEASE_LOST;
    this.#holds.place('lease-lost', LEASE_LOST.text);
    this.stop('force', LEASE_LOST.text);
  }

  #crash(error: unknown): void {
    const end = endOfCrash(error);
    this.#end ??= end;
    this.stop('force', end.text);
  }

  async #forceAfterDrain(): Promise<void> {
    const { clock } = this.#parts;
    await clock.sleepUntil(clock.now() + this.#options.drainMs, this.#force.signal);
    if (!this.#force.signal.aborted) this.stop('force', 'the drain deadline has passed');
  }

  async #finish(): Promise<RunEnd> {
    const { agent, upstream, observer } = this.#parts;
    await this.#ticker.finish();
    await this.#looker.finish();
    // A reply that the last turn committed goes out before we leave; what cannot be sent now waits on disk.
    await this.#sender.flush(this.#force.signal).catch(() => {});
    await agent.stop(5_000);
    await upstream.close();
    this.#force.abort();
    const text = this.#forced ? 'ended by force; what was open is taken up at the next start' : 'drained';
    const end = this.#end ?? { exitCode: EXIT.done, text };
    observer.on({ type: 'stopped', text: end.text });
    return end;
  }
}
