// The words of the scripted model: one deterministic answer to one message.

const NO_REPLY = 'NO_REPLY';
const LONGEST = 1_000_000;
const QUOTED = 300;

/**
 * The answer to `text`. `earlier` holds what the same person said before, oldest first. Commands: `silent` →
 * `NO_REPLY`; `long N` → N characters of ascending numbers; `what did I say first?` → the first of `earlier`.
 */
export function replyText(text: string, earlier: readonly string[]): string {
  const asked = text.trim();
  if (/^silent\W*$/i.test(asked)) return NO_REPLY;
  const long = /^long (\d+)\W*$/i.exec(asked);
  if (long) return numbered(Math.min(Number(long[1]), LONGEST));
  const [first] = earlier;
  if (/what did i say first/i.test(asked)) {
    return first === undefined ? 'You had not said anything before this.' : `First you said: ${quote(first)}`;
  }
  const hello = `Hello from the scripted model. You wrote: ${quote(asked)}`;
  if (first === undefined) return hello;
  const many = earlier.length === 1 ? 'one earlier message' : `${earlier.length} earlier messages`;
  return `${hello} I remember ${many} of yours; the first was: ${quote(first)}`;
}

/** Exactly `length` characters: 000000 000001 000002 …, so that order and completeness can be checked. */
export function numbered(length: number): string {
  const words = Math.ceil(length / 7);
  return Array.from({ length: words }, (_, n) => `${String(n).padStart(6, '0')} `)
    .join('')
    .slice(0, length)
    .replace(/ $/, '.');
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `“${line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line}”`;
}
