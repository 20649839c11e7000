// NUL in texts: a stranger may send it, SQLite keeps it, PostgreSQL's text cannot. So it is written as two characters.

/** A character of private use, as good as never sent; where it is, it is doubled into something else. */
const MARK = '\uE000';
const SPECIAL = /[\0\uE000]/g;
const WRITTEN = /\uE000([01])/g;

/** Any other value is answered as it is. */
export function withoutNul(value: unknown): unknown {
  if (typeof value !== 'string' || value.search(SPECIAL) === -1) return value;
  return value.replaceAll(SPECIAL, (found) => `${MARK}${found === MARK ? 1 : 0}`);
}

/** The inverse. */
export function withNul(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes(MARK)) return value;
  return value.replaceAll(WRITTEN, (_, which) => (which === '1' ? MARK : '\0'));
}
