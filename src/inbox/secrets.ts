// What must not be told: the keys in the inbox's own settings, taken out of every sentence we say.
import { oneLine } from '../lib/one-line.js';
import { redact } from '../lib/redact.js';
import type { InboxServer } from './options.js';

const SECRET_NAME = /key|token|secret|password|auth|credential/i;
const SENTENCE_CHARS = 300;

/** Makes text of foreign origin fit for a sentence of ours: one short line, without our keys. */
export type Scrub = (text: string, maxChars?: number) => string;

export function scrubber(server: InboxServer): Scrub {
  const secrets = secretsOf(server);
  // Redacted first: a cut through the middle of a key would leave half of it.
  return (text, maxChars = SENTENCE_CHARS) => oneLine(redact(text, secrets), maxChars);
}

/** Values of headers, variables and of the address itself that are keys, whole and in parts. */
export function secretsOf(server: InboxServer): string[] {
  if (server.type === 'stdio') {
    const values = Object.entries(server.env ?? {}).flatMap(([name, value]) =>
      SECRET_NAME.test(name) ? [value] : [],
    );
    return withParts(values);
  }
  const url = URL.canParse(server.url) ? new URL(server.url) : undefined;
  return withParts([
    ...Object.values(server.headers ?? {}),
    ...(url ? [...url.searchParams.values(), url.password] : []),
  ]);
}

/** `Bearer KEY` is secret as a whole and in its parts; the longest first, so that no part is left over. */
function withParts(values: readonly string[]): string[] {
  const all = new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]));
  return [...all].filter((value) => value.length >= 8).sort((a, b) => b.length - a.length);
}

/** Is anything sent along by which the inbox could know us? */
export function carriesKey(server: InboxServer): boolean {
  if (server.type === 'stdio') return true;
  const url = URL.canParse(server.url) ? new URL(server.url) : undefined;
  return secretsOf(server).length > 0 || (url !== undefined && url.search !== '');
}

/** The inbox as we name it in sentences: never with user, password or query. */
export function nameOfServer(server: InboxServer): string {
  if (server.type === 'stdio') return `the inbox program ${server.command}`;
  if (!URL.canParse(server.url)) return 'the inbox';
  const url = new URL(server.url);
  return `the inbox at ${url.origin}${url.pathname}`;
}
