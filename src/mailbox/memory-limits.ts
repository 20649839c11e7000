// Fits remembered exchanges into a number of characters, the newest first.
import type { Exchange } from '../domain/message.js';

/** Leaves out the oldest until the texts hold at most `chars` UTF-16 units; a newest one that is longer is cut with `…`. */
export function withinLimits(exchanges: readonly Exchange[], chars: number): Exchange[] {
  if (chars <= 0) return [];
  const kept: Exchange[] = [];
  let room = chars;
  for (const exchange of exchanges.toReversed()) {
    if (exchange.text.length > room) {
      if (kept.length === 0) kept.push({ ...exchange, text: cut(exchange.text, chars) });
      break;
    }
    kept.push(exchange);
    room -= exchange.text.length;
  }
  return kept.reverse();
}

function cut(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 2);
  // Half of a surrogate pair is no character.
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? chars - 2 : chars - 1)}…`;
}
