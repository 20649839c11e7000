// What of newly loaded settings a running worker takes, and what waits for a restart.
import { WorkerError } from '../domain/errors.js';
import { written } from './describe.js';
import type { Settings } from './load.js';
import { brokenRules } from './rules.js';
import { SETTING_LIST, SETTINGS, type SettingName } from './schema.js';

/** Both as `config` shows them: secrets hidden. */
export interface SettingChange {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export interface SettingKept {
  readonly key: string;
  /** What stays in force. */
  readonly running: string;
  readonly wanted: string;
  /** Why it takes a restart, as a part of a sentence. */
  readonly why: string;
}

export interface Renewal {
  /** What is in force from now on. */
  readonly settings: Settings;
  readonly changed: readonly SettingChange[];
  readonly kept: readonly SettingKept[];
}

/**
 * The reloadable settings of `wanted`, the others as they run.
 * @throws WorkerError `setting-invalid` where such a mixture breaks a rule that the wanted ones keep
 */
export function renewSettings(running: Settings, wanted: Settings): Renewal {
  const names = SETTING_LIST.filter(([name]) => differs(name, running, wanted));
  const taken = SETTING_LIST.filter(([, setting]) => setting.reloadable).map(([name]) => name);
  const pick = <T>(from: Readonly<Record<SettingName, T>>): Partial<Record<SettingName, T>> =>
    Object.fromEntries(taken.map((name) => [name, from[name]])) as Partial<Record<SettingName, T>>;
  const settings = Object.freeze({
    ...running,
    ...pick<unknown>(wanted),
    origins: { ...running.origins, ...pick(wanted.origins) },
    warnings: wanted.warnings,
  }) as Settings;
  const [broken] = brokenRules(settings, (name) => SETTINGS[name].key);
  if (broken) {
    throw new WorkerError(
      'setting-invalid',
      `Only after a restart do these settings fit: ${broken.sentence}`,
      {
        hint: 'Stop the worker and start it again.',
      },
    );
  }
  return {
    settings,
    changed: names
      .filter(([, setting]) => setting.reloadable)
      .map(([name, { key }]) => ({ key, from: shown(name, running), to: shown(name, wanted) })),
    kept: names.flatMap(([name, { key, restart }]) =>
      restart === undefined
        ? []
        : [{ key, running: shown(name, running), wanted: shown(name, wanted), why: restart }],
    ),
  };
}

/** Set at all, this one says something more, whatever its value. */
const MEANT: readonly SettingName[] = ['maxSleepMs'];

function differs(name: SettingName, a: Settings, b: Settings): boolean {
  const { kind } = SETTINGS[name];
  const json = (value: unknown): string | undefined =>
    value === undefined ? undefined : JSON.stringify(kind.write(value as never));
  if (json(a[name]) !== json(b[name])) return true;
  return MEANT.includes(name) && isDefault(name, a) !== isDefault(name, b);
}

function shown(name: SettingName, settings: Settings): string {
  const text = written(settings, name);
  return MEANT.includes(name) && isDefault(name, settings) ? `${text} (default)` : text;
}

const isDefault = (name: SettingName, { origins }: Settings): boolean => origins[name].from === 'default';
