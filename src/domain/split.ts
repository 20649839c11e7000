// Splits a reply that is longer than the upstream takes, in order and at kind places.

/**
 * Pieces of at most `maxChars` UTF-16 units whose concatenation is `text` (white space at a cut stays with the
 * piece before it). Cuts at a paragraph, else a line, else a space, else anywhere but inside a surrogate pair.
 */
export function splitText(text: string, maxChars: number): string[] {
  if (maxChars < 2) throw new RangeError('maxChars must be at least 2');
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxChars) {
    const cut = cutBefore(rest, maxChars);
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  if (rest !== '' || pieces.length === 0) pieces.push(rest);
  return pieces;
}

/** What of `text` is sent, piece by piece: a piece of nothing but white space is refused by inboxes, and says nothing. */
export function sendableParts(text: string, maxChars: number): string[] {
  const parts = splitText(text, maxChars);
  const saying = parts.filter((part) => part.trim() !== '');
  return saying.length > 0 ? saying : parts.slice(0, 1);
}

/** At most `chars` UTF-16 units from the start, never half a surrogate pair. */
export function headOf(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  const splitsPair = chars < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? chars - 1 : chars);
}

function cutBefore(text: string, maxChars: number): number {
  // A cut in the first half would make many small pieces: look for a kind place in the second half only.
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, maxChars - mark.length);
    if (at >= maxChars / 2) return at + mark.length;
  }
  return headOf(text, maxChars).length;
}
