// What a kind of value is: how it is read from text or JSON, shown again, and described to whoever wrote it wrong.

/** Where a raw value was found, as far as reading it depends on that. */
export interface ReadContext {
  /** Absolute folder that a relative path counts from. */
  readonly base: string;
  /** The user's home, for `~/`. */
  readonly home: string;
}

/** The value, or what to write instead ("a duration such as 90s"). */
export type Reading<T> = { readonly value: T } | { readonly write: string };

export interface Kind<T> {
  /** One word for help and tables: `duration`, `name`, `on|off`. */
  readonly word: string;
  /** What a bare number means, where the kind has a unit. */
  readonly unit?: string;
  /** Raw is a string from a flag, the environment or .env, a boolean from a flag, any JSON from a file. */
  read(raw: unknown, context: ReadContext): Reading<T>;
  /** As one would write it in a settings file: JSON. */
  write(value: T): unknown;
}

/** A text without surrounding blanks, or nothing where the raw value is not text or empty. */
export function textOf(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const text = raw.trim();
  return text === '' ? undefined : text;
}
