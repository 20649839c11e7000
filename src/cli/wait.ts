// How long `--wait` waits, told apart from a text that merely follows the flag.

const DEFAULT_MS = 60_000;
const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export interface Wait {
  /** Undefined: nobody waits. */
  readonly limitMs: number | undefined;
  /** The message, in which a text that the parser took for the flag's value is put back. */
  readonly words: readonly string[];
}

/**
 * `--wait` alone is 60 s; `--wait 5m` is that long, and so is `--wait 90` (seconds) where a message follows; in
 * `--wait "What is new?"` the value is the message itself.
 */
export function readWait(value: unknown, words: readonly string[]): Wait {
  if (typeof value !== 'string') return { limitMs: value ? DEFAULT_MS : undefined, words };
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value.trim());
  const unit = UNITS[match?.[2] ?? 's'];
  // A bare number that nothing follows can only be the message.
  const isText = match?.[2] === undefined && words.length === 0;
  if (!match || unit === undefined || isText) return { limitMs: DEFAULT_MS, words: [value, ...words] };
  return { limitMs: Number(match[1]) * unit, words };
}
