// Chance with a seed: the same words draw the same number, always, whatever was drawn before.

/** FNV-1a over the UTF-16 units, then a mix: equal texts, equal numbers; near texts, far numbers. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

function mix(seed: number): number {
  let hash = seed >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A stream of draws that begins at a word. */
export class Dice {
  #state: number;

  constructor(word: string) {
    this.#state = hashOf(word);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    return mix(this.#state) / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.between(0, list.length - 1)];
    if (one === undefined) throw new Error('There is nothing to pick from.');
    return one;
  }

  /** Near `low` often, near `high` seldom: the logarithm is even. */
  rather(low: number, high: number): number {
    return Math.round(low * (high / low) ** this.next());
  }
}
