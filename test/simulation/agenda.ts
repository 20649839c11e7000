// Virtual time: what is to happen, in the order of its instants; between two things the promises run dry.
import { hashOf } from './chance.js';

interface Entry {
  at: number;
  /** Among things of one instant, chance decides, by the seed. */
  readonly order: number;
  readonly seq: number;
  /** An instant on the wall clock (a deadline); otherwise a duration, which a change of the clock carries along. */
  readonly fixed: boolean;
  run: (() => void) | undefined;
}

export class Agenda {
  readonly #seed: number;
  #now: number;
  #zero: number;
  #seq = 0;
  #heap: Entry[] = [];
  /** How often the clock was set. */
  jumps = 0;
  /** Sleeps that were over at once since the last thing happened: a loop of promises alone makes it grow. */
  emptySleeps = 0;
  /** Things done at this very instant: a loop that never sleeps makes it grow. */
  sameInstant = 0;

  constructor(seed: number, startAt: number) {
    this.#seed = seed;
    this.#now = startAt;
    this.#zero = startAt;
  }

  /** The wall clock, epoch ms. */
  get now(): number {
    return this.#now;
  }

  /** Ms that have really passed: no change of the clock shows in it. */
  get elapsed(): number {
    return this.#now - this.#zero;
  }

  /** Does `run` at the instant `at`. Answers how to call it off. */
  at(at: number, run: () => void): () => void {
    return this.#add(at, run, true);
  }

  /** Does `run` after `ms`. Answers how to call it off. */
  after(ms: number, run: () => void): () => void {
    return this.#add(this.#now + ms, run, false);
  }

  /** Sets the wall clock by `ms`, as a suspended machine or a person does. */
  jump(ms: number): void {
    this.#now += ms;
    this.#zero += ms;
    this.jumps += 1;
    const entries = this.#heap;
    this.#heap = [];
    for (const entry of entries) {
      if (!entry.fixed) entry.at += ms;
      this.#push(entry);
    }
  }

  /** Does the next thing. Answers false when there is none. */
  next(): boolean {
    for (let entry = this.#pop(); entry; entry = this.#pop()) {
      const { run } = entry;
      if (!run) continue;
      if (entry.at > this.#now) this.sameInstant = 0;
      this.emptySleeps = 0;
      this.sameInstant += 1;
      this.#now = Math.max(this.#now, entry.at);
      run();
      return true;
    }
    return false;
  }

  #add(at: number, run: () => void, fixed: boolean): () => void {
    this.#seq += 1;
    const order = hashOf(`${this.#seed} order ${this.#seq}`);
    const entry: Entry = { at, order, seq: this.#seq, fixed, run };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (!parent || !isBefore(entry, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = place * 2 + 1;
      const right = heap[below + 1];
      const left = heap[below];
      if (!left) break;
      if (right && isBefore(right, left)) below += 1;
      const child = heap[below];
      if (!child || !isBefore(child, last)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.order !== b.order ? a.order < b.order : a.seq < b.seq;
}

/** Lets every promise that can go on go on. Nothing else in a simulation is asynchronous, so one round is enough. */
export function runDry(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
