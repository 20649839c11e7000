// Who is who: names compared as the inbox compares them, and the rule for sends to others.
import { relinkMentions } from './mention.js';

/** `@Alice `, `alice` and `@alice` are one name; channels keep their `#`. */
export function canonicalName(name: string): string {
  const trimmed = relinkMentions(name).trim().toLowerCase();
  return /^[@#]/.test(trimmed) ? trimmed : `@${trimmed}`;
}

export function sameName(a: string, b: string): boolean {
  return canonicalName(a) === canonicalName(b);
}

/** May the agent write to somebody other than the one it answers? */
export function maySendTo(allowed: readonly string[] | 'anyone', to: string): boolean {
  return allowed === 'anyone' || allowed.some((name) => sameName(name, to));
}

/** Senders let in: on the allow list where there is one, and never on the deny list. */
export interface Admission {
  readonly allow: readonly string[] | 'anyone';
  readonly deny: readonly string[];
}

export function admits(rule: Admission, sender: string): boolean {
  return maySendTo(rule.allow, sender) && !rule.deny.some((name) => sameName(name, sender));
}

const LONGEST_NAME = 120;

/** A stranger's name or id, fit to stand outside a fence: one line, no markup, bounded. */
export function plainName(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[<>`"]/g, '')
    .trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}…` : line;
}
