// Parses JSON and, where it is none, tells the line and column: Node's own message often names neither.

export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** What is wrong there, to follow "line 3, column 5: ". */
  readonly problem: string;
}

export type JsonParse =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: JsonFault };

export function parseJson(text: string): JsonParse {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { kind: 'parsed', value: JSON.parse(source) };
  } catch {
    return { kind: 'fault', fault: findJsonFault(source) ?? { line: 1, column: 1, problem: 'not JSON' } };
  }
}

const ATOM = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Fault extends Error {
  readonly at: number;
  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** The first place where the text stops being JSON; undefined when it is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  try {
    new Scanner(text).document();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem: error.message };
  }
}

/** Walks over JSON without building it, and throws a Fault at the first odd place. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    if (this.#next() !== undefined) this.#fail('more text follows where the JSON should end');
  }

  #value(): void {
    const character = this.#next();
    if (character === '{') this.#members('}', () => this.#member());
    else if (character === '[') this.#members(']', () => this.#value());
    else if (character === '"') this.#string();
    else if (!this.#take(ATOM)) this.#fail(this.#odd('a value'));
  }

  #members(end: string, member: () => void): void {
    this.#at += 1;
    if (this.#next() === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      member();
      const character = this.#next();
      if (character !== ',' && character !== end) this.#fail(this.#odd(`"," or "${end}"`));
      this.#at += 1;
      if (character === end) return;
      if (this.#next() === end) this.#fail(`the comma before "${end}" is one too many`);
    }
  }

  #member(): void {
    if (this.#next() !== '"') this.#fail(this.#odd('a key in double quotes'));
    this.#string();
    if (this.#next() !== ':') this.#fail(this.#odd('":"'));
    this.#at += 1;
    this.#value();
  }

  #string(): void {
    if (!this.#take(STRING)) {
      this.#fail('this text has no closing quote, or holds a line break or a stray backslash');
    }
  }

  /** The next character that is no blank, without taking it; undefined at the end. */
  #next(): string | undefined {
    while (this.#at < this.#text.length && ' \t\r\n'.includes(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text[this.#at];
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #odd(wanted: string): string {
    const found = this.#text[this.#at];
    if (found === undefined) return `the text ends where ${wanted} should stand`;
    if (found === '/' || found === '#') return 'JSON has no comments';
    return `${JSON.stringify(found)} stands where ${wanted} should`;
  }

  #fail(problem: string): never {
    throw new Fault(this.#at, problem);
  }
}
