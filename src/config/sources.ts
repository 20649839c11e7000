// Where raw values come from: flags, environment, .env, config/worker.json; read and told apart here.
import { readFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { parse } from 'dotenv';
import { WorkerError } from '../domain/errors.js';
import { parseJson } from './json-text.js';
import type { Setting } from './setting.js';

/** Where a value came from, and under which name it stood there. */
export interface Origin {
  readonly from: 'flag' | 'env' | 'dotenv' | 'file' | 'default';
  /** `--min-sleep`, `MIN_SLEEP`, `min_sleep`; empty for a default. */
  readonly name: string;
}

/** What the command line gave: by flag name, as written (`min-sleep`) or in camelCase, as parsers hand it over. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export interface Sources {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly dotenv: Readonly<Record<string, string>>;
  readonly file: Readonly<Record<string, unknown>>;
}

export interface Found {
  readonly origin: Origin;
  /** Undefined for a default. */
  readonly raw: unknown;
}

/** The winning raw value of a setting: flag, environment, .env, file. */
export function find(setting: Setting<unknown>, { flags, env, dotenv, file }: Sources): Found {
  if (setting.flag !== undefined) {
    const raw = flags[setting.flag] ?? flags[camelCase(setting.flag)];
    if (raw !== undefined) return { origin: { from: 'flag', name: `--${setting.flag}` }, raw };
  }
  const variables = [['env', env] as const, ['dotenv', setting.outsideFiles ? {} : dotenv] as const];
  for (const [from, values] of variables) {
    const name = setting.env.find((candidate) => isSet(values[candidate]));
    if (name !== undefined) return { origin: { from, name }, raw: values[name] };
  }
  const raw = setting.outsideFiles ? undefined : file[setting.key];
  if (raw !== undefined && raw !== null) return { origin: { from: 'file', name: setting.key }, raw };
  return { origin: { from: 'default', name: '' }, raw: undefined };
}

/** An empty variable is one that a compose file or a script left open: it counts as unset. */
export const isSet = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== '';

export const camelCase = (name: string): string =>
  name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

/** Parses `.env` of a folder; it never reaches process.env. Without one: no values. */
export async function readDotenv(dir: string): Promise<Record<string, string>> {
  const text = await readOptional(join(dir, '.env'));
  return text === undefined ? {} : parse(text);
}

/**
 * A settings file as a JSON object, or undefined where there is none.
 * @param shownAs its name in sentences
 * @throws WorkerError `setting-invalid` with line and column, `file-unreadable`
 */
export async function readSettingsFile(
  path: string,
  shownAs: string,
): Promise<Record<string, unknown> | undefined> {
  const text = await readOptional(path);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if (parsed.kind === 'fault') {
    const { line, column, problem } = parsed.fault;
    throw new WorkerError(
      'setting-invalid',
      `${shownAs} is not valid JSON: line ${line}, column ${column}: ${problem}.`,
    );
  }
  if (!isObject(parsed.value)) {
    throw new WorkerError('setting-invalid', `${shownAs} must hold one JSON object: { "key": value, … }.`);
  }
  return parsed.value;
}

/** @throws WorkerError `file-unreadable` when the file is there and cannot be read */
export async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new WorkerError('file-unreadable', `${path} cannot be read (${code ?? String(error)}).`, {
      cause: error,
    });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path as a sentence shows it: short where it lies below the current folder. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
