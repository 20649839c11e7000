// The kind of a budget: dollars, tokens, both, or the word `unlimited`.
import type { Cap } from '../domain/budget.js';
import { type Kind, textOf } from './kind.js';

const MONEY = /^(?:\$\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:\$|usd|dollars?))$/i;
const TOKENS = /^(\d+(?:\.\d+)?)\s*([km])?\s*tokens?$/i;
const SCALE: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
const WRITE = 'an amount such as $5, 2M tokens or "$5, 500k tokens", or unlimited';

export const budget: Kind<Cap> = {
  word: 'amount|unlimited',
  read(raw) {
    const text = textOf(raw);
    if (text?.toLowerCase() === 'unlimited') return { value: { usd: 'unlimited', tokens: 'unlimited' } };
    const parts = text?.split(/\s*(?:,|\band\b)\s*/i) ?? [];
    const money = parts.map((part) => MONEY.exec(part)).filter((match) => match !== null);
    const tokens = parts.map((part) => TOKENS.exec(part)).filter((match) => match !== null);
    const once = money.length <= 1 && tokens.length <= 1;
    if (parts.length === 0 || money.length + tokens.length !== parts.length || !once) return { write: WRITE };
    const usd = money.map((match) => Number(match[1] ?? match[2]))[0] ?? 'unlimited';
    const count =
      tokens.map((match) => Math.round(Number(match[1]) * (SCALE[match[2]?.toLowerCase() ?? ''] ?? 1)))[0] ??
      'unlimited';
    // As "no limit", 0 has burnt people's money; as "nothing at all", `pause` says it better.
    if (usd === 0 || count === 0)
      return { write: 'unlimited where no limit is meant, else an amount above 0' };
    return { value: { usd, tokens: count } };
  },
  write({ usd, tokens }) {
    const parts = [
      ...(usd === 'unlimited' ? [] : [`$${usd}`]),
      ...(tokens === 'unlimited' ? [] : [`${tokens} tokens`]),
    ];
    return parts.length === 0 ? 'unlimited' : parts.join(', ');
  },
};
