// Fills `{placeholders}` in the arguments of a described call, and follows paths in what came back.
import { isFields } from '../fields.js';
import type { Path } from './custom-schema.js';

/** Values by name; a name with dots leads into objects. */
export type Values = Readonly<Record<string, unknown>>;

const ALONE = /^\{([\w.]+)\}$/;
const WITHIN = /\{([\w.]+)\}/g;

/**
 * `"{ids}"` alone becomes the value itself, whatever its type; within a longer text it is written out.
 * A name that `values` does not have at all stays as it is: braces may belong to the text. One that is there but
 * undefined empties its place, and an argument that is nothing else is left out.
 */
export function fill(template: Values, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(template).flatMap(([name, value]) => {
      const filled = fillValue(value, values);
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}

function fillValue(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value))
    return value.map((item) => fillValue(item, values)).filter((item) => item !== undefined);
  return isFields(value) ? fill(value, values) : value;
}

function fillText(text: string, values: Values): unknown {
  const alone = ALONE.exec(text)?.[1];
  if (alone !== undefined && isKnown(alone, values)) return follow(values, alone);
  return text.replace(WITHIN, (whole, name: string) => {
    if (!isKnown(name, values)) return whole;
    const found = follow(values, name);
    return found === undefined || found === null ? '' : String(found);
  });
}

const isKnown = (name: string, values: Values): boolean =>
  Object.hasOwn(values, name.split('.', 1)[0] ?? name);

/** What stands at the end of a path; undefined where it leads nowhere or to null. */
export function follow(value: unknown, path: Path | undefined): unknown {
  for (const candidate of path === undefined ? [] : [path].flat()) {
    let at: unknown = value;
    for (const step of candidate.split('.')) {
      at =
        isFields(at) && Object.hasOwn(at, step) ? at[step] : Array.isArray(at) ? at[Number(step)] : undefined;
    }
    if (at !== undefined && at !== null) return at;
  }
  return undefined;
}

/** The same as a text: numbers are written out, the empty text counts as nothing. */
export function followText(value: unknown, path: Path | undefined): string | undefined {
  const found = follow(value, path);
  if (typeof found === 'number' && Number.isFinite(found)) return String(found);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Does a template mention a placeholder? */
export const mentions = (template: unknown, name: string): boolean =>
  JSON.stringify(template).includes(`{${name}}`);
