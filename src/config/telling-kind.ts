// The kind of `on_hold` and `on_dead`: a command or a signed webhook, or `off`.
import { type Kind, textOf } from './kind.js';
import { isLoopback } from './mcp-entry.js';
import { isObject } from './sources.js';
import { stringList } from './values.js';

export type Telling =
  | 'off'
  /** Run as it stands, without a shell. */
  | { readonly kind: 'command'; readonly words: readonly string[] }
  /** Run by the shell. */
  | { readonly kind: 'shell'; readonly line: string }
  /** Without a secret of its own, those of `tell_secret` sign. */
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string | undefined };

const WRITE =
  'off, a command (a JSON list of its words, or one text for the shell), an https address, or in a settings file ' +
  '{ "url": "https://…", "secret": "whsec_…" }';

export const telling: Kind<Telling> = {
  word: 'command|url|off',
  read(raw) {
    if (raw === false) return { value: 'off' };
    const text = textOf(raw);
    if (text?.toLowerCase() === 'off') return { value: 'off' };
    if (Array.isArray(raw) || text?.startsWith('[')) return commandOf(raw);
    if (text !== undefined && /^https?:/i.test(text)) return webhookOf(text, undefined);
    // A secret in a flag could be read by everybody on the machine.
    if (text !== undefined)
      return text.startsWith('{') ? { write: WRITE } : { value: { kind: 'shell', line: text } };
    if (!isObject(raw) || Object.keys(raw).some((key) => key !== 'url' && key !== 'secret'))
      return { write: WRITE };
    const secret = raw.secret === undefined ? undefined : signingSecret(String(raw.secret));
    if (raw.secret !== undefined && secret === undefined) return { write: `as secret ${SECRET}` };
    return webhookOf(textOf(raw.url) ?? '', secret);
  },
  // The path of an address is often as good as a key.
  write(value) {
    if (value === 'off') return value;
    if (value.kind === 'command') return value.words;
    return value.kind === 'shell' ? value.line : `${new URL(value.url).origin}/…`;
  },
};

function commandOf(raw: unknown): { value: Telling } | { write: string } {
  const words = stringList(raw);
  return words?.[0] ? { value: { kind: 'command', words } } : { write: WRITE };
}

function webhookOf(text: string, secret: string | undefined): { value: Telling } | { write: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(text));
  if (!url || !fits || url.username !== '' || url.password !== '') {
    return { write: 'an https address without a name or password in it (http only for this machine)' };
  }
  return { value: { kind: 'webhook', url: url.href, secret } };
}

export const SECRET = 'whsec_ and the base64 of 16 or more random bytes';

/** As Standard Webhooks has it; undefined for what its receivers could not read, or could guess. */
export function signingSecret(text: string): string | undefined {
  const base64 = text.replace(/^whsec_/, '');
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length >= 16 && bytes.toString('base64') === base64 ? text : undefined;
}
