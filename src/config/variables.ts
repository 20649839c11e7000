// Resolves `${VAR}` and `${VAR:-default}` in texts of .mcp.json: from the environment, then from .env.
import { isSet } from './sources.js';

export type Lookup = (name: string) => string | undefined;

/** A variable that a text uses, that has no default and is not set. */
export interface UnsetVariable {
  readonly name: string;
  /** Where the text stands: `header "Authorization"`, `url`, `args[1]`. */
  readonly place: string;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Empty counts as unset, as in a shell's `:-`: an empty key would only be refused later, by the server. */
export function lookupIn(...sources: readonly Readonly<Record<string, string | undefined>>[]): Lookup {
  return (name) => sources.map((source) => source[name]).find(isSet);
}

/** Resolves texts one after another and remembers which variables were missing. */
export class VariableResolver {
  readonly unset: UnsetVariable[] = [];
  readonly #lookup: Lookup;

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  resolve(text: string, place: string): string {
    return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
      const value = this.#lookup(name) ?? fallback;
      if (value === undefined) this.unset.push({ name, place });
      return value ?? '';
    });
  }

  /** Resolves every text of a JSON value; objects and lists keep their shape. */
  resolveAll(value: unknown, place: string): unknown {
    if (typeof value === 'string') return this.resolve(value, place);
    if (Array.isArray(value)) {
      return value.map((item, index) => this.resolveAll(item, `${place}[${index}]`));
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        this.resolveAll(item, place === '' ? key : placeOf(place, key)),
      ]),
    );
  }
}

const placeOf = (parent: string, key: string): string =>
  parent === 'headers' ? `header "${key}"` : `${parent}.${key}`;
