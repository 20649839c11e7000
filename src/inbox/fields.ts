// Finds a field of a foreign object under one of several names.

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of `names` that the object has with a value other than null. */
export function pick(fields: Fields, names: readonly string[]): unknown {
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** A non-empty text, or a number written out. */
export function pickText(fields: Fields, names: readonly string[]): string | undefined {
  const value = pick(fields, names);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const NAME_FIELDS = ['alias', 'name', 'handle', 'username', 'id'];

/** Somebody's name: a text, or an object that holds it. */
export function pickName(fields: Fields, names: readonly string[]): string | undefined {
  const value = pick(fields, names);
  const name = isFields(value) ? pickText(value, NAME_FIELDS) : pickText(fields, names);
  return name?.trim() === '' ? undefined : name?.trim();
}

export function pickBoolean(fields: Fields, names: readonly string[]): boolean | undefined {
  const value = pick(fields, names);
  return typeof value === 'boolean' ? value : undefined;
}

/** A count: a number, a number as text, or true for "some". */
export function pickCount(fields: Fields, names: readonly string[]): number | undefined {
  const value = pick(fields, names);
  if (typeof value === 'boolean') return value ? 1 : 0;
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/** The names of an object's fields, for a sentence: never their values. */
export function keysOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (!isFields(value)) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  return keys.length > 12 ? `${keys.slice(0, 12).join(', ')}, …` : keys.join(', ');
}

const WRAPPERS = ['result', 'data', 'response', 'output'];

/**
 * A list, wherever it is: the value itself, under one of `names`, or one wrapper deeper (`{"result": […]}`).
 * Null under a known name is an empty list (Go writes one so). Undefined where there is none.
 */
export function findList(
  value: unknown,
  names: readonly string[],
): { readonly list: readonly unknown[]; readonly holder: Fields | undefined } | undefined {
  if (Array.isArray(value)) return { list: value, holder: undefined };
  if (!isFields(value)) return undefined;
  for (const name of names) {
    const list = value[name];
    if (Array.isArray(list)) return { list, holder: value };
    if (list === null && name in value) return { list: [], holder: value };
  }
  for (const wrapper of WRAPPERS) {
    const inner = value[wrapper];
    const found = isFields(inner) || Array.isArray(inner) ? findList(inner, names) : undefined;
    if (found) return { list: found.list, holder: found.holder ?? value };
  }
  return undefined;
}
