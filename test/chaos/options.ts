// What a chaos run is told, and what its parts count together.

export interface ChaosOptions {
  readonly seed: number;
  /** What the worker speaks. With `agentdm` mail can be read in vain and a send can stay in doubt: both are counted apart. */
  readonly vocabulary: 'dms' | 'agentdm';
  /** How many questions are posted. */
  readonly messages: number;
  /** Over how long they are spread, ms. Kills and faults end with the last one. */
  readonly postingMs: number;
  /** Mean time between two kills, ms. */
  readonly killEveryMs: number;
  /** Now and then a burst outlasts Claude Code's own retries; each costs a hold of half a minute or more. */
  readonly longBursts: boolean;
  /** How long nothing may move, once all faults are over, before what is unsettled counts as lost, ms. */
  readonly patienceMs: number;
  /** The folder of the run is left behind, for somebody to look at. */
  readonly keep: boolean;
  /** One line of progress. */
  tell(line: string): void;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

/** How often something happened, by its name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** `a 3, b 1`, by name. */
  toString(): string {
    const named = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return named.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
  }
}
