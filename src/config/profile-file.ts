// Reads the description of a foreign inbox: the user's file, or a preset that this package brings.
import { join } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import { parseJson } from './json-text.js';
import type { Settings } from './load.js';
import { PACKAGED_PROFILES } from './preset-names.js';
import { isObject, readDotenv, readOptional } from './sources.js';
import { type Lookup, lookupIn, VariableResolver } from './variables.js';

export interface ProfileFile {
  /** JSON with its variables resolved; what it means is not checked here. */
  readonly value: unknown;
  /** Its name for sentences. */
  readonly where: string;
}

/**
 * `${VAR}` and `${VAR:-default}` in it come from the environment, then from `.env` of the agent's folder. An argument
 * that is nothing but `${VAR:-}` is left out while VAR is unset: an empty text would be a value to the server.
 * @throws WorkerError `file-unreadable`, `setting-invalid` with line and column, `variable-unset` naming each variable
 */
export async function readProfileFile(
  settings: Pick<Settings, 'profile' | 'dir'>,
  env: NodeJS.ProcessEnv,
): Promise<ProfileFile> {
  const { profile, dir } = settings;
  const isPreset = !profile.endsWith('.json');
  const where = isPreset ? `the preset ${profile}` : profile;
  const text = await readOptional(isPreset ? join(PACKAGED_PROFILES, `${profile}.json`) : profile);
  if (text === undefined) throw new WorkerError('file-unreadable', `The profile ${profile} does not exist.`);
  const parsed = parseJson(text);
  if (parsed.kind === 'fault') {
    const { line, column, problem } = parsed.fault;
    throw new WorkerError(
      'setting-invalid',
      `The profile in ${where} is not valid JSON: line ${line}, column ${column}: ${problem}.`,
    );
  }
  const lookup = lookupIn(env, await readDotenv(dir));
  const resolver = new VariableResolver(lookup);
  const value = resolver.resolveAll(withoutUnset(parsed.value, lookup), '');
  refuseUnset(resolver, where);
  return { value, where };
}

const OPTIONAL = /^\$\{([A-Za-z_][A-Za-z0-9_]*):-\}$/;

function withoutUnset(value: unknown, lookup: Lookup): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutUnset(item, lookup));
  if (!isObject(value)) return value;
  const isLeftOut = (item: unknown): boolean => {
    const name = typeof item === 'string' ? OPTIONAL.exec(item)?.[1] : undefined;
    return name !== undefined && lookup(name) === undefined;
  };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      isLeftOut(item) ? [] : [[key, withoutUnset(item, lookup)]],
    ),
  );
}

function refuseUnset({ unset }: VariableResolver, where: string): void {
  if (unset.length === 0) return;
  const names = [...new Set(unset.map(({ name }) => name))];
  const used = names.map((name) => `\${${name}}`).join(' and ');
  const verb = names.length === 1 ? 'is' : 'are';
  throw new WorkerError('variable-unset', `The profile in ${where} uses ${used}, which ${verb} not set.`, {
    hint: `Set ${names.join(' and ')} in the environment or in .env of the agent's folder.`,
  });
}
