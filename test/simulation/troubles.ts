// The faults of a plan as they come due: what is wrong right now, and which call is the unlucky one.
import type { Agenda } from './agenda.js';
import { hashOf } from './chance.js';
import type { CallTrouble, Fault, InboxTrouble, Plan } from './plan.js';

type Of<K extends Fault['kind']> = Extract<Fault, { kind: K }>;
type Lasting = Extract<Fault, { at: number; forMs: number }>;

export class Troubles {
  healed = false;
  readonly #plan: Plan;
  readonly #agenda: Agenda;
  /** With the time that had passed when each began. */
  readonly #active = new Map<Lasting, number>();
  readonly #spoiled = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #nth = new Map<string, Fault>();
  readonly #draws = new Map<string, number>();

  constructor(plan: Plan, agenda: Agenda) {
    this.#plan = plan;
    this.#agenda = agenda;
    for (const fault of plan.faults) {
      if (fault.kind === 'crash') this.#nth.set(`crash ${fault.point} ${fault.nth}`, fault);
      if (fault.kind === 'call') this.#nth.set(`call ${fault.call} ${fault.nth}`, fault);
      if (fault.kind === 'store-call') this.#nth.set(`store ${fault.call} ${fault.nth}`, fault);
      if (fault.kind === 'turn') this.#nth.set(`turn ${fault.nth}`, fault);
      if ('forMs' in fault) {
        agenda.after(fault.at, () => this.healed || this.#active.set(fault, agenda.elapsed));
        agenda.after(fault.at + fault.forMs, () => this.#active.delete(fault));
      }
    }
  }

  /** From now on nothing goes wrong. */
  heal(): void {
    this.healed = true;
    this.#active.clear();
    this.#spoiled.clear();
  }

  /** A number in [0, 1) for the nth asking of this word. */
  draw(word: string): number {
    const nth = (this.#draws.get(word) ?? 0) + 1;
    this.#draws.set(word, nth);
    return hashOf(`${this.#plan.seed} ${word} ${nth}`) / 0x1_0000_0000;
  }

  /** A whole number of ms between both, near `low` more often. */
  drawMs(word: string, low: number, high: number): number {
    return Math.round(low * (high / low) ** this.draw(word));
  }

  crash(point: string): Of<'crash'> | undefined {
    return this.#take('crash', point) as Of<'crash'> | undefined;
  }

  /** What is wrong with this call to the upstream. */
  call(call: string): CallTrouble | undefined {
    const unlucky = this.#take('call', call) as Of<'call'> | undefined;
    return this.inbox ?? unlucky?.how;
  }

  get inbox(): InboxTrouble | undefined {
    return this.#lasting('inbox')?.how;
  }

  /** In [0, 1), the same for as long as the inbox is in the same trouble. */
  get temper(): number {
    const since = this.#lasting('inbox')?.at ?? this.#counts.get('call upstream.look') ?? 0;
    return hashOf(`${this.#plan.seed} temper ${since}`) / 0x1_0000_0000;
  }

  storeFails(call: string): boolean {
    const unlucky = this.#take('store', call);
    return this.#spoiled.delete(call) || unlucky !== undefined || this.storeIsDown;
  }

  /** The next call of this kind to the store fails. */
  spoil(call: string): void {
    if (!this.healed) this.#spoiled.add(call);
  }

  get storeIsDown(): boolean {
    return this.#lasting('store') !== undefined;
  }

  /** How long a call to the store takes, ms: most often nothing to speak of. */
  storeMs(call: string): number {
    const luck = this.draw(`store ${call}`);
    if (this.#lasting('slow-store')) return Math.floor(luck * 4_000);
    return luck < 0.6 ? 0 : Math.floor((luck - 0.6) * 40);
  }

  turn(nth: number): Of<'turn'> | undefined {
    return this.healed ? undefined : (this.#nth.get(`turn ${nth}`) as Of<'turn'> | undefined);
  }

  get notReady(): Of<'not-ready'> | undefined {
    return this.#lasting('not-ready');
  }

  get unusable(): boolean {
    return this.#lasting('unusable') !== undefined;
  }

  get rival(): boolean {
    return this.#lasting('rival') !== undefined;
  }

  get paused(): boolean {
    return this.#lasting('pause') !== undefined;
  }

  /** For how long it is paused already. */
  get pausedMs(): number {
    const began = [...this.#active].flatMap(([fault, at]) => (fault.kind === 'pause' ? [at] : []));
    return began.length === 0 ? 0 : this.#agenda.elapsed - Math.min(...began);
  }

  /** The faults that happen once at an instant, told when it is there. */
  schedule(happen: (fault: Fault) => void): void {
    for (const fault of this.#plan.faults) {
      if ('at' in fault) this.#agenda.after(fault.at, () => this.healed || happen(fault));
    }
  }

  #take(kind: string, name: string): Fault | undefined {
    const word = `${kind} ${name}`;
    const nth = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, nth);
    return this.healed ? undefined : this.#nth.get(`${word} ${nth}`);
  }

  #lasting<K extends Lasting['kind']>(kind: K): Extract<Lasting, { kind: K }> | undefined {
    for (const fault of this.#active.keys()) {
      if (fault.kind === kind) return fault as Extract<Lasting, { kind: K }>;
    }
    return undefined;
  }
}
