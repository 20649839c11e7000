// The kinds of values that settings share: duration, boolean, number, choice, text, list.
import { type Kind, textOf } from './kind.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/i;
// setTimeout fires at once beyond 2^31 ms, so a "very long" wait would become none.
const LONGEST_MS = 24 * 86_400_000;

/** `90`, `90s`, `5m`, `2h`, `500ms`, `1d` in ms; undefined when it is none of these. A bare number is seconds. */
export function parseDuration(raw: unknown): number | undefined {
  const match = DURATION.exec(typeof raw === 'number' ? String(raw) : (textOf(raw) ?? ''));
  if (!match) return undefined;
  return Math.round(Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? 's'] ?? 1000));
}

/** The shortest exact way to write a duration: `500ms`, `90s`, `10m`, `2h`. */
export function formatDuration(ms: number): string {
  if (ms % 1000 !== 0) return `${ms}ms`;
  for (const unit of ['d', 'h', 'm']) {
    const size = UNITS[unit] ?? 1;
    // One minute reads better as 60s; the seed documents write it so.
    if (ms > 60_000 && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms / 1000}s`;
}

/** Comes out in ms. */
export function duration(limits: { minMs?: number } = {}): Kind<number> {
  const { minMs = 1 } = limits;
  const write =
    'a duration such as 90 (seconds), 90s, 5m, 2h or 500ms' +
    (minMs > 0 ? `, at least ${formatDuration(minMs)}` : '') +
    `, at most ${formatDuration(LONGEST_MS)}`;
  return {
    word: 'duration',
    unit: 's',
    read(raw) {
      const ms = parseDuration(raw);
      return ms === undefined || ms < minMs || ms > LONGEST_MS ? { write } : { value: ms };
    },
    write: formatDuration,
  };
}

/** A duration, or `off`. */
export function durationOrOff(limits: { minMs?: number } = {}): Kind<number | 'off'> {
  const some = duration(limits);
  return {
    ...some,
    word: 'duration|off',
    read(raw, context) {
      if (raw === false || textOf(raw)?.toLowerCase() === 'off') return { value: 'off' };
      const reading = some.read(raw, context);
      return 'value' in reading ? reading : { write: `off, or ${reading.write}` };
    },
    write: (value) => (value === 'off' ? value : formatDuration(value)),
  };
}

const TRUE = new Set(['on', 'true', '1', 'yes']);
const FALSE = new Set(['off', 'false', '0', 'no']);

export const boolean: Kind<boolean> = {
  word: 'on|off',
  read(raw) {
    const word = String(raw).trim().toLowerCase();
    if (TRUE.has(word)) return { value: true };
    return FALSE.has(word) ? { value: false } : { write: 'on or off' };
  },
  write: (value) => (value ? 'on' : 'off'),
};

export interface IntegerLimits {
  readonly min: number;
  readonly max?: number;
  readonly unit?: string;
}

export function integer({ min, max = Number.MAX_SAFE_INTEGER, unit }: IntegerLimits): Kind<number> {
  const write =
    max === Number.MAX_SAFE_INTEGER
      ? `a whole number, at least ${min}`
      : `a whole number from ${min} to ${max}`;
  return {
    word: 'number',
    ...(unit !== undefined && { unit }),
    read(raw) {
      const text = typeof raw === 'number' ? String(raw) : textOf(raw);
      const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? { value } : { write };
    },
    write: (value) => value,
  };
}

/** A number of at least 1, or the word `unlimited`. 0 is refused: as "no limit" it has burnt people's money. */
export function cap(unit: string): Kind<number | 'unlimited'> {
  const count = integer({ min: 1, unit });
  return {
    word: 'number|unlimited',
    unit,
    read(raw, context) {
      if (textOf(raw)?.toLowerCase() === 'unlimited') return { value: 'unlimited' };
      const reading = count.read(raw, context);
      if ('value' in reading) return reading;
      const zero = Number(textOf(raw) ?? raw) === 0;
      return {
        write: zero
          ? 'unlimited where no limit is meant, else a whole number of at least 1'
          : 'a whole number of at least 1, or unlimited',
      };
    },
    write: (value) => value,
  };
}

export function choice<const T extends string>(...options: readonly T[]): Kind<T> {
  const write = `one of ${options.join(', ')}`;
  return {
    word: options.join('|'),
    read(raw) {
      const text = textOf(raw)?.toLowerCase();
      const value = options.find((option) => option === text);
      return value === undefined ? { write } : { value };
    },
    write: (value) => value,
  };
}

/** Any text that is not empty. */
export function text(word = 'text'): Kind<string> {
  return {
    word,
    read(raw) {
      const value = textOf(raw);
      return value === undefined ? { write: `a ${word} that is not empty` } : { value };
    },
    write: (value) => value,
  };
}

export interface ListItem {
  /** What one item is, as in "a list of server names". */
  readonly items: string;
  /** The item in its proper form, or undefined where it is none. */
  readonly item?: (text: string) => string | undefined;
  /** A word that means the empty list. */
  readonly none?: string;
}

/** A JSON list of texts, or one text with commas between the items. */
export function list({
  items,
  item = (entry) => (entry === '' ? undefined : entry),
  none,
}: ListItem): Kind<readonly string[]> {
  const write = `${items}, with commas between them or as a JSON list${none === undefined ? '' : `, or ${none}`}`;
  return {
    word: 'list',
    read(raw) {
      if (none !== undefined && textOf(raw)?.toLowerCase() === none) return { value: [] };
      const entries = entriesOf(raw);
      const value = entries?.map((entry) => item(entry)).filter((entry) => entry !== undefined);
      return value === undefined || value.length !== entries?.length ? { write } : { value };
    },
    write: (value) => (value.length === 0 && none !== undefined ? none : value),
  };
}

function entriesOf(raw: unknown): string[] | undefined {
  if (typeof raw === 'string' && !raw.trim().startsWith('[')) {
    const entries = raw.split(',').map((entry) => entry.trim());
    return entries.filter((entry) => entry !== '');
  }
  return stringList(raw);
}

/** A JSON list of texts, given as such or as its JSON text; undefined where it is neither. */
export function stringList(raw: unknown): string[] | undefined {
  let value = raw;
  if (typeof raw === 'string') {
    try {
      value = JSON.parse(raw);
    } catch {
      return undefined;
    }
  }
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}
