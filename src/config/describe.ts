// Tells every setting with its value and origin, for people: secrets hidden.
import type { Settings } from './load.js';
import { SETTING_LIST, SETTINGS, type SettingName } from './schema.js';
import type { Group } from './setting.js';
import type { Origin } from './sources.js';

export interface SettingRow {
  readonly key: string;
  readonly group: Group;
  /** As one would write it; empty where unset, `…hidden` for a secret that is set. */
  readonly value: string;
  readonly origin: Origin;
  /** What a bare number means (`s`, `characters`), empty where that says nothing. */
  readonly unit: string;
  readonly caption: string;
  /** Why a new value takes a restart; left out where a running worker takes it. */
  readonly restart?: string;
}

export function describeSettings(settings: Settings): SettingRow[] {
  return SETTING_LIST.map(([name, setting]) => ({
    key: setting.key,
    group: setting.group,
    value: written(settings, name),
    origin: settings.origins[name],
    unit: setting.kind.unit ?? '',
    caption: setting.caption,
    ...(setting.restart === undefined ? {} : { restart: setting.restart }),
  }));
}

/** `MIN_SLEEP in the environment`, `--model`, `default`: an origin in words. */
export function describeOrigin({ from, name }: Origin): string {
  switch (from) {
    case 'flag':
      return name;
    case 'env':
      return `${name} in the environment`;
    case 'dotenv':
      return `${name} in .env`;
    case 'file':
      return 'settings file';
    case 'default':
      return 'default';
  }
}

/** As one would write it; empty where unset, `…hidden` for a secret that is set. */
export function written(settings: Settings, name: SettingName): string {
  const value: unknown = settings[name];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const { kind, secret } = SETTINGS[name];
  if (secret) return '…hidden';
  const json: unknown = kind.write(value as never);
  return Array.isArray(json) ? json.join(', ') : String(json);
}
