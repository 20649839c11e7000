// The kinds of values that name something: paths, programs, aliases, addresses, variables, command-line words.
import { isAbsolute, join, resolve } from 'node:path';
import { canonicalName } from '../domain/addressing.js';
import { HOLD_REASONS, type HoldReason } from '../domain/hold.js';
import { type Kind, type ReadContext, textOf } from './kind.js';
import { presetNames } from './preset-names.js';
import { list, stringList } from './values.js';

function absolute(path: string, { base, home }: ReadContext): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(base, path);
}

/** Comes out absolute. */
export const path: Kind<string> = {
  word: 'path',
  read(raw, context) {
    const value = textOf(raw);
    return value === undefined ? { write: 'a path' } : { value: absolute(value, context) };
  },
  write: (value) => value,
};

/** A bare name (`claude`) stays as it is, to be looked for in PATH; anything with a slash comes out absolute. */
export const program: Kind<string> = {
  word: 'path',
  read(raw, context) {
    const value = textOf(raw);
    if (value === undefined) return { write: 'the path of a program, or its name in PATH' };
    return { value: /[/\\]|^~$/.test(value) ? absolute(value, context) : value };
  },
  write: (value) => value,
};

const PROFILES = ['auto', 'dms', 'agentdm'];

/** The name of a built-in profile or of a packaged preset, or the absolute path of a JSON file that describes one. */
export const profile: Kind<string> = {
  word: `${PROFILES.join('|')}|preset|path`,
  read(raw, context) {
    const value = textOf(raw);
    if (value !== undefined && PROFILES.includes(value)) return { value };
    if (value?.endsWith('.json')) return { value: absolute(value, context) };
    const presets = presetNames();
    if (value !== undefined && presets.includes(value)) return { value };
    const names = [...PROFILES, ...presets].join(', ');
    return { write: `one of ${names}, or the path of a .json file that describes the inbox` };
  },
  write: (value) => value,
};

// Names of our own folders beside the inboxes' in the state folder.
const TAKEN = ['running', 'local-inbox'];

/** A name that is safe as a folder's. */
export const inboxId: Kind<string> = {
  word: 'name',
  read(raw) {
    const value = textOf(raw);
    return value !== undefined && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(value) && !TAKEN.includes(value)
      ? { value }
      : {
          write: `up to 64 lower-case letters, digits, dots, hyphens or underscores, and not ${TAKEN.join(' or ')}`,
        };
  },
  write: (value) => value,
};

/** A name that is safe in an address and as a part of a file's name. */
export const agentName: Kind<string> = {
  word: 'name',
  read(raw) {
    const value = textOf(raw);
    return value !== undefined && isAgentName(value)
      ? { value }
      : { write: 'up to 32 letters, digits, hyphens or underscores, beginning with a letter or digit' };
  },
  write: (value) => value,
};

export const isAgentName = (text: string): boolean => /^[A-Za-z0-9][\w-]{0,31}$/.test(text);

const ADDRESS = /^[@#][^\s@#,]{1,64}$/;

/** `@alice` or `#ops`, as names are compared; a bare name is an alias. */
export function addressOf(text: string): string | undefined {
  const name = canonicalName(text);
  return ADDRESS.test(name) ? name : undefined;
}

/** A list of aliases and channels; `nobody` is the empty one. */
export const addresses = list({
  items: 'aliases such as @alice or channels such as #ops',
  item: addressOf,
  none: 'nobody',
});

/** The same, or `anyone`. */
export const people: Kind<readonly string[] | 'anyone'> = {
  word: 'list|anyone|nobody',
  read(raw, context) {
    if (textOf(raw)?.toLowerCase() === 'anyone') return { value: 'anyone' };
    const reading = addresses.read(raw, context);
    return 'value' in reading ? reading : { write: `anyone, ${reading.write}` };
  },
  write: (value) => (value === 'anyone' ? value : addresses.write(value)),
};

export const alias: Kind<string> = {
  word: '@alias',
  read(raw) {
    const value = addressOf(textOf(raw) ?? '');
    return value?.startsWith('@') ? { value } : { write: 'an alias such as @agent' };
  },
  write: (value) => value,
};

/** `auto`, `off`, or an http address. */
export const wakeStream: Kind<string> = {
  word: 'auto|off|url',
  read(raw) {
    const value = raw === false ? 'off' : textOf(raw);
    if (value === 'auto' || value === 'off') return { value };
    return value !== undefined && isHttpUrl(value)
      ? { value }
      : { write: 'auto, off, or the http(s) address of an event stream' };
  },
  write: (value) => value,
};

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** A list of holds by their names. */
export const holdReasons: Kind<readonly HoldReason[]> = {
  word: 'list',
  read(raw, context) {
    const known = (name: string): string | undefined => HOLD_REASONS.find((reason) => reason === name);
    const reading = list({ items: `holds (${HOLD_REASONS.join(', ')})`, item: known }).read(raw, context);
    return 'value' in reading ? { value: reading.value as readonly HoldReason[] } : reading;
  },
  write: (value) => value,
};

const TOKEN_CHARS = 24;

/** A bearer token of our own: what a header can carry, and too long to be guessed. */
export const token: Kind<string> = {
  word: 'token',
  read(raw) {
    const value = textOf(raw);
    return value !== undefined && value.length >= TOKEN_CHARS && /^[\x21-\x7e]+$/.test(value)
      ? { value }
      : {
          write: `at least ${TOKEN_CHARS} printable characters without blanks, as \`openssl rand -hex 24\` makes them`,
        };
  },
  write: (value) => value,
};

export const variableName = (text: string): string | undefined =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : undefined;

const QUOTED = /"((?:[^"\\]|\\.)*)"|'([^']*)'/g;
const WORD = /(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g;

/** The words of a command line: a JSON list, or one text with blanks between them and quotes around those that hold some. */
export const words: Kind<readonly string[]> = {
  word: 'words',
  read(raw) {
    const write = 'the words of a command line, as a JSON list or with blanks between them';
    if (typeof raw !== 'string' || raw.trim().startsWith('[')) {
      const value = stringList(raw);
      return value === undefined ? { write } : { value };
    }
    // What no word takes in is a quote without its partner.
    if (raw.replace(WORD, '').trim() !== '') return { write };
    return { value: (raw.match(WORD) ?? []).map(unquoted) };
  },
  write: (value) => value,
};

function unquoted(word: string): string {
  return word.replace(QUOTED, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? '') : double.replace(/\\(.)/g, '$1'),
  );
}
