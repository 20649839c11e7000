// Makes text of foreign origin fit for one line of a terminal, a log or a list.

/** Controls (escape sequences begin with one), line ends, direction marks, and characters nobody can see. */
const UNPRINTABLE =
  /[\p{Cc}\p{Zl}\p{Zp}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}]+/gu;

/** One printable line of at most `maxChars` UTF-16 units; a longer text ends in `…`. */
export function oneLine(text: string, maxChars = 300): string {
  const line = text.replace(UNPRINTABLE, ' ').trim();
  if (line.length <= maxChars) return line;
  // A cut in the middle of a surrogate pair would leave half a character.
  return `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
