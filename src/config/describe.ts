// Tells every setting with its value and origin, for people: secrets hidden.
import type { Settings } from './load.js';
import { SETTING_LIST } from './schema.js';
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
}

export function describeSettings(settings: Settings): SettingRow[] {
  return SETTING_LIST.map(([name, setting]) => ({
    key: setting.key,
    group: setting.group,
    value: setting.secret ? hidden(settings[name]) : written(settings[name], setting.kind),
    origin: settings.origins[name],
    unit: setting.kind.unit ?? '',
    caption: setting.caption,
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

const hidden = (value: unknown): string => (Array.isArray(value) && value.length === 0 ? '' : '…hidden');

function written(value: unknown, kind: { write(value: never): unknown }): string {
  if (value === undefined) return '';
  const json = kind.write(value as never);
  return Array.isArray(json) ? json.join(', ') : String(json);
}
