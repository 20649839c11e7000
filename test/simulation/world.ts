// The world of a story: two machines, one inbox, one disk, and the time in which all goes wrong and then right again.
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
import type { Fault, Plan, Setting } from './plan.js';
import type { PlayedTurn } from './play-turn.js';
import type { SessionRecord } from './sim-agent.js';
import { Troubles } from './troubles.js';
import { TurnWatch } from './turn-watch.js';
import type { Sabotage, WorkerWorld } from './worker-life.js';

const START_AT = Date.UTC(2026, 10, 30, 12);
const HOUR = 3_600_000;
/** What is not done this long after the last fault never will be. Holds grow to an hour, sleeps too. */
const PATIENCE_MS = 12 * HOUR;
/** An idle worker needs some 1,000 calls an hour; each thing that happens explains some more. */
const CALLS_PER_HOUR = 2_500;
const CALLS_PER_STIMULUS = 80;
const SAME_INSTANT = 5_000;

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
  readonly #diskWatch: DiskWatch;
  readonly #turnWatch: TurnWatch;
  readonly #a: Machine;
  readonly #b: Machine;
  readonly #counters = new Map<string, number>();
  #stimuli = 0;
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
    this.#turnWatch = new TurnWatch(plan, this.disk, this.#diskWatch, this.record, this.troubles);
    this.deliveries = new DeliveryWatch(this.disk, this.#diskWatch, this.record, plan.setting);
    this.server = new InboxServer(plan.setting, (delivery) => {
      this.#stimuli += 1;
      this.deliveries.delivered(delivery);
    });
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
      if (this.agenda.sameInstant > SAME_INSTANT)
        this.record.violate('busy', 'time stands still, and all are busy');
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
    this.#machineOf(life).died(downMs);
  }

  owns(life: Life): void {
    this.record.tell(life.name, 'has the lease');
    // Whatever the one before left open is rescued now, and that costs an attempt.
    for (const claim of this.disk.claims.values())
      if (claim.state === 'open') this.#diskWatch.charge(claim.id);
  }

  turnBegins(life: Life, request: TurnRequest, session: SessionRecord): PlayedTurn {
    this.#stimuli += 1;
    this.record.tally.turns += 1;
    const spoken = this.#machineOf(life).current?.spoken ?? { holds: new Map(), stopping: false, turns: 0 };
    return this.#turnWatch.begins(life, spoken, request, session, this.nextTurn());
  }

  turnEnded(_life: Life, turn: PlayedTurn, outcome: TurnOutcome): void {
    this.#turnWatch.ended(turn, outcome);
  }

  sends(turn: PlayedTurn, kind: 'reply' | 'interim' | 'other', to: string, change: 1 | -1): void {
    this.#stimuli += 1;
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
        this.#stimuli += 1;
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
      agenda.after(PATIENCE_MS, () => {
        const left = unfinished(this);
        if (left.length > 0) record.violate('settled', `after ${PATIENCE_MS / HOUR} h: ${left.join('; ')}`);
      });
    });
    this.#countCalls();
    this.#a.boot(0);
  }

  #happen(fault: Fault): void {
    const { record, agenda } = this;
    const worker = this.#a.current;
    this.#stimuli += 1;
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
    this.#stimuli += 1;
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
    for (const machine of [this.#a, this.#b])
      machine.stop(this.plan.seed % 3 === 0 ? 'force' : 'drain', undefined, 0);
    return !this.#a.current && !this.#b.current;
  }

  #countCalls(): void {
    const before = this.#calls();
    const stimuli = this.#stimuli;
    this.agenda.after(HOUR, () => {
      const calls = this.#calls() - before;
      const most = CALLS_PER_HOUR + CALLS_PER_STIMULUS * (this.#stimuli - stimuli);
      if (calls > most) this.record.violate('busy', `${calls} calls in an hour that explains ${most}`);
      this.#countCalls();
    });
  }

  #calls(): number {
    return this.#a.calls + this.#b.calls;
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
