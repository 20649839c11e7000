// Loads all settings: finds the raw values, reads them by their kind, and tells everything that is wrong at once.
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import { throwFaults } from './faults.js';
import { SettingReader } from './reader.js';
import { brokenRules } from './rules.js';
import { SETTING_LIST, SETTINGS, type SettingName, type Values } from './schema.js';
import { settingsFilePath } from './settings-file.js';
import {
  type Flags,
  find,
  type Origin,
  readDotenv,
  readSettingsFile,
  type Sources,
  shownPath,
} from './sources.js';
import { misplaced, unknownVariables } from './unknown.js';

export interface LoadInput {
  /** Flags that are no setting are ignored: other options of a command may stand among them. */
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
  /**
   * Instead of `config/worker.json`; it must exist. A path, relative to `cwd`, or `seed`, which this package brings.
   * It may say whose settings it holds: its `dir` counts from the file's own folder.
   */
  readonly file?: string | undefined;
  /** Neither that nor `.env` is read. */
  readonly withoutFiles?: boolean;
}

/** Every setting by its name in the program, and where each came from. */
export type Settings = Values & {
  readonly origins: Readonly<Record<SettingName, Origin>>;
  /** Sentences to log once: what was odd, but no reason to stop. */
  readonly warnings: readonly string[];
};

/**
 * Flags, then environment, then `.env`, then `config/worker.json`, then defaults.
 * @throws WorkerError `setting-invalid` or `setting-unknown`, with one sentence for each fault; `file-unreadable`
 */
export async function loadSettings(input: LoadInput): Promise<Settings> {
  const { flags, env, cwd, file, withoutFiles = false } = input;
  const reader = new SettingReader({ cwd, env, home: env.HOME || homedir() });
  const named =
    file === undefined || withoutFiles ? undefined : await readNamed(settingsFilePath(file, cwd), cwd);
  const dir = readFolder(reader, { flags, env, dotenv: {}, file: {} }, named);
  throwFaults(reader.faults);
  await mustBeFolder(dir, reader.where('dir'));

  const { shownAs, content } = named ?? (withoutFiles ? NO_FILE : await standardFile(dir, cwd));
  const places = { dir, file: shownAs, dotenv: shownPath(join(dir, '.env'), cwd) };
  reader.filesAre(places);
  const sources: Sources = {
    flags,
    env,
    dotenv: withoutFiles ? {} : await readDotenv(dir),
    file: content,
  };

  // The one place where the loop over the schema meets its type: each value is read by its own kind.
  const values = Object.fromEntries(
    SETTING_LIST.map(([name, setting]) => [
      name,
      name === 'dir' ? dir : reader.read(name, setting, find(setting, sources)),
    ]),
  ) as Values;
  const faults = [...reader.faults, ...misplaced(sources, places)];
  // Rules compare values, so they wait until all values are sound.
  throwFaults(faults.length > 0 ? faults : brokenRules(values, (name) => reader.where(name)));
  return Object.freeze({
    ...values,
    origins: reader.origins as Record<SettingName, Origin>,
    warnings: unknownVariables(sources, places),
  });
}

interface SettingsFile {
  /** Its name in sentences. */
  readonly shownAs: string;
  readonly content: Readonly<Record<string, unknown>>;
}

const NO_FILE: SettingsFile = { shownAs: '', content: {} };

interface NamedFile extends SettingsFile {
  /** What its `dir` says, and the folder that counts from. */
  readonly dir: unknown;
  readonly base: string;
}

async function readNamed(path: string, cwd: string): Promise<NamedFile> {
  const shownAs = shownPath(path, cwd);
  const whole = await readSettingsFile(path, shownAs);
  if (!whole) throw new WorkerError('file-unreadable', `The settings file ${shownAs} does not exist.`);
  const { dir, ...content } = whole;
  return { shownAs, content, dir: dir ?? undefined, base: dirname(path) };
}

async function standardFile(dir: string, cwd: string): Promise<SettingsFile> {
  const path = join(dir, 'config', 'worker.json');
  const shownAs = shownPath(path, cwd);
  return { shownAs, content: (await readSettingsFile(path, shownAs)) ?? {} };
}

/** From a flag or the environment; else from a file that was named, and so was not found by it. */
function readFolder(reader: SettingReader, outside: Sources, named: NamedFile | undefined): string {
  const found = find(SETTINGS.dir, outside);
  if (found.origin.from !== 'default' || named?.dir === undefined)
    return String(reader.read('dir', SETTINGS.dir, found));
  reader.filesAre({ dir: named.base, file: named.shownAs, dotenv: '' });
  return String(reader.read('dir', SETTINGS.dir, { origin: { from: 'file', name: 'dir' }, raw: named.dir }));
}

async function mustBeFolder(dir: string, subject: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory()) return;
  const problem = found ? 'is not a folder' : 'does not exist';
  throw new WorkerError(
    'setting-invalid',
    `${subject} names ${dir}, which ${problem}; write the agent's folder.`,
  );
}
