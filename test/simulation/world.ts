// The world of a story: two machines, one inbox, one disk, and the time in which all goes wrong and then right again.
import type { SendKind } from '../../src/domain/outbox.js';
import type { TurnOutcome } from '../../src/domain/turn.js';
import type { WakeKind } from '../../src/domain/wake.js';
import type { TurnRequest } from '../../src/ports/agent.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { Agenda, runDry } from './agenda.js';
import { Chronicle } from './chronicle.js';
import { DeliveryWatch } from './delivery-watch.js';
import { DiskWatch } from './disk-watch.js';
import { checkEnd, type EndView, unfinished } from './end-checks.js';
import { InboxServer } from './inbox-server.js';
import type { Life } from './life.js';
import { Machine } from './machine.js';
import { OrphanWatch } from './orphan-watch.js';
import { PaceWatch } from './pace-watch.js';
import type { CallTrouble, Fault, Plan, Setting } from './plan.js';
import type { PlayedTurn } from './play-turn.js';
import type { SessionRecord } from './sim-agent.js';
import { Troubles } from './troubles.js';
import { type Spoken, TurnWatch } from './turn-watch.js';
import type { Sabotage, WorkerWorld } from './worker-life.js';

const START_AT = Date.UTC(2026, 10, 30, 12);
const HOUR = 3_600_000;
/** What is not done this long after the last fault never will be. Holds grow to an hour, sleeps too. */
const PATIENCE_MS = 12 * HOUR;
/** A day's budget holds until the next day begins, and a clock may be set back. */
const DAILY_PATIENCE_MS = 40 * HOUR;
const LAST_MOMENTS_MS = 60_000;

export class World implements WorkerWorld, EndView {
  readonly plan: Plan;
  readonly setting: Setting;
  readonly sabotage: Sabotage | undefined;
  readonly agenda: Agenda;
  readonly record: Chronicle;
  readonly troubles: Troubles;
  readonly disk = new MemoryDisk();
  readonly server: InboxServer;
  readonly sessions = new Map<string, SessionRecord>();
  readonly deliveries: DeliveryWatch;
  readonly orphans: OrphanWatch;
  readonly #diskWatch: DiskWatch;
  readonly #turnWatch: TurnWatch;
  readonly #a: Machine;
  readonly #b: Machine;
  readonly #pace: PaceWatch;
  readonly #counters = new Map<string, number>();
  #steps = 0;
  #closing = false;
  #dirty = true;

  constructor(plan: Plan, sabotage?: Sabotage) {
    this.plan = plan;
    this.setting = plan.setting;
    this.sabotage = sabotage;
    this.agenda = new Agenda(plan.seed, START_AT);
    this.record = new Chronicle(this.agenda);
    this.troubles = new Troubles(plan, this.agenda);
    this.#diskWatch = new DiskWatch(this.disk, this.record, plan.setting);
    this.#turnWatch = new TurnWatch(plan.setting, this.disk, this.#diskWatch, this.record, this.troubles);
    this.orphans = new OrphanWatch(this.disk, this.record);
    this.deliveries = new DeliveryWatch(this.disk, this.#diskWatch, this.record, plan.setting);
    this.server = new InboxServer(plan.setting, (delivery) => {
      this.#pace.stimuli += 1;
      this.deliveries.delivered(delivery);
    });
    this.#pace = new PaceWatch(this.agenda, this.record, () => this.#a.calls + this.#b.calls);
    this.#a = new Machine(this, 'a', () => !this.#closing);
    this.#b = new Machine(this, 'b', () => !this.#closing && this.troubles.rival);
  }

  get silenced(): ReadonlySet<string> {
    return this.#turnWatch.silenced;
  }

  get mostSends(): ReadonlyMap<string, number> {
    return this.#turnWatch.mostSends;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Plays the story to its end, or to the first invariant that breaks. */
  async play(): Promise<void> {
    this.#arrange();
    while (!this.record.violation && !this.#isOver()) {
      if (!this.agenda.next()) this.record.violate('standstill', 'nothing is left to happen');
      await runDry();
      this.#steps += 1;
      this.#pace.stepped();
    }
    if (!this.record.violation) checkEnd(this);
  }

  startOf(host: string, pid: number): string | undefined {
    return this.isAlive(`${host}${pid}`) ? '1' : undefined;
  }

  isAlive(name: string): boolean {
    return [this.#a, this.#b].some((machine) => machine.current?.life.name === name);
  }

  changed(life: Life, call: string): void {
    this.#dirty = true;
    this.#diskWatch.changed(life, call);
  }

  died(life: Life, downMs: number): void {
    this.record.tally.deaths += 1;
    const child = this.#machineOf(life).current?.agent.childPid;
    if (child !== undefined && this.troubles.draw('orphan') < 0.5) this.orphans.leave(child, life.host);
    this.#machineOf(life).died(downMs);
  }

  owns(life: Life): void {
    this.record.tell(life.name, 'has the lease');
    this.#pace.pokes += 1;
    this.#turnWatch.failures.owned();
    this.orphans.find(life);
  }

  turnBegins(life: Life, request: TurnRequest, session: SessionRecord): PlayedTurn {
    this.#pace.stimuli += 1;
    this.record.tally.turns += 1;
    this.orphans.begins(life, this.record.tally.turns);
    return this.#turnWatch.begins(life, this.#spoken(life), request, session, this.nextTurn());
  }

  turnEnded(life: Life, turn: PlayedTurn, outcome: TurnOutcome): void {
    this.#turnWatch.ended(life, this.#spoken(life), turn, outcome);
  }

  refused(call: string, how: CallTrouble): void {
    this.#pace.refused(call, how);
  }

  turnFailed(request: TurnRequest): void {
    this.#turnWatch.failedToBegin(request);
  }

  stopping(life: Life, how: 'drain' | 'force'): void {
    this.#machineOf(life).watchStop(how);
  }

  left(life: Life): void {
    // A fault of the disk in its last moments leaves it no way to put down what it has in its hands.
    if (this.troubles.storeIsDown || this.agenda.elapsed - life.lastFaultAt < LAST_MOMENTS_MS) return;
    for (const [id, by] of this.server.takenBy) {
      if (by !== life.name || this.disk.messages.has(id) || this.server.lost.has(id)) continue;
      this.record.violate('lost', `${life.name} ended in peace and took ${id} with it`);
    }
  }

  sends(turn: PlayedTurn, kind: SendKind, to: string, change: 1 | -1): void {
    this.#pace.stimuli += 1;
    this.#turnWatch.sends(turn, kind, to, change);
  }

  nextId = (): number => this.#next('id');
  nextPid = (): number => this.#next('pid');
  nextTurn = (): number => this.#next('turn');
  nextSession = (): string => `s${this.#next('session')}`;

  #arrange(): void {
    const { agenda, plan, record } = this;
    for (const mail of plan.mail) {
      agenda.after(mail.at, () => {
        this.#dirty = true;
        this.#pace.stimuli += 1;
        const { id } = this.server.arrive(mail, agenda.now);
        record.tell('inbox', `${id} of ${mail.sender} in ${mail.conversation} arrives`);
      });
      for (const wake of mail.wakes) agenda.after(mail.at + wake.afterMs, () => this.#wake(wake.kind));
    }
    this.troubles.schedule((fault) => this.#happen(fault));
    agenda.after(plan.healAt, () => {
      record.tell('--', 'nothing goes wrong any more');
      this.troubles.heal();
      this.#b.current?.stop('drain');
      const patience = ['day', 'conversation', 'sender'].includes(plan.setting.budget)
        ? DAILY_PATIENCE_MS
        : PATIENCE_MS;
      agenda.after(patience, () => {
        const left = unfinished(this);
        if (left.length > 0) record.violate('settled', `after ${patience / HOUR} h: ${left.join('; ')}`);
      });
    });
    this.#pace.start();
    this.#a.boot(0);
  }

  #happen(fault: Fault): void {
    const { record, agenda } = this;
    const worker = this.#a.current;
    this.#pace.stimuli += 1;
    switch (fault.kind) {
      case 'kill':
        worker?.life.kill('killed', fault.downMs);
        break;
      case 'stop':
        this.#a.stop(fault.how, fault.thenForceMs, fault.downMs);
        break;
      case 'freeze':
        worker?.life.freeze(fault.forMs);
        break;
      case 'rival':
        agenda.after(fault.forMs, () => this.troubles.rival || this.#b.stop('drain', undefined, 0));
        if (!this.#b.current) this.#b.boot(0);
        break;
      case 'jump':
        record.tell('--', `the clock jumps by ${fault.byMs} ms`);
        agenda.jump(fault.byMs);
        break;
      case 'flag':
        worker?.flags.add(fault.flag);
        break;
      case 'lost-sessions':
        record.tell('--', 'all sessions are lost');
        this.sessions.clear();
        break;
      case 'child-dies':
        worker?.agent.dieOutside();
        break;
      case 'wakes':
        for (let nth = 0; nth < fault.times; nth += 1) this.#wake(fault.wake);
        break;
      default:
        if ('at' in fault) record.tell('--', `${fault.kind} begins`);
    }
  }

  #wake(kind: WakeKind): void {
    this.#pace.stimuli += 1;
    this.#pace.pokes += 1;
    for (const machine of [this.#a, this.#b]) machine.current?.wake(kind);
  }

  /** Done, and every worker has ended as it was told. */
  #isOver(): boolean {
    if (this.#closing) return !this.#a.current && !this.#b.current;
    if (!this.troubles.healed || !this.#dirty) return false;
    this.#dirty = false;
    if (this.server.arrived.length < this.plan.mail.length || unfinished(this).length > 0) return false;
    this.record.tell('--', 'all is done');
    this.#closing = true;
    const how = this.plan.seed % 3 === 0 ? 'force' : 'drain';
    // As one more thing that happens, so that what follows from it is over before time goes on.
    this.agenda.after(0, () => {
      for (const machine of [this.#a, this.#b]) machine.stop(how, undefined, 0);
    });
    return !this.#a.current && !this.#b.current;
  }

  #spoken(life: Life): Spoken {
    const spoken = this.#machineOf(life).current?.spoken;
    return spoken ?? { holds: new Map(), stopping: false, turns: 0, startedAt: 0, notBefore: undefined };
  }

  #machineOf(life: Life): Machine {
    return life.host === 'a' ? this.#a : this.#b;
  }

  #next(what: string): number {
    const next = (this.#counters.get(what) ?? 0) + 1;
    this.#counters.set(what, next);
    return next;
  }
}
