// The one list of all settings, and the type that it gives the program.
import { AGENT_SETTINGS } from './schema/agent.js';
import { CONTROL_SETTINGS } from './schema/control.js';
import { INBOX_SETTINGS } from './schema/inbox.js';
import { LIMIT_SETTINGS } from './schema/limits.js';
import { STATE_SETTINGS } from './schema/state.js';
import { TELL_SETTINGS } from './schema/tell.js';
import { WAKE_SETTINGS } from './schema/wake.js';
import { WORKER_SETTINGS } from './schema/worker.js';
import type { Setting } from './setting.js';

/** Every setting once, by its name in the program: camelCase, durations with `Ms`. */
export const SETTINGS = {
  ...INBOX_SETTINGS,
  ...AGENT_SETTINGS,
  ...WORKER_SETTINGS,
  ...LIMIT_SETTINGS,
  ...WAKE_SETTINGS,
  ...TELL_SETTINGS,
  ...STATE_SETTINGS,
  ...CONTROL_SETTINGS,
};

export type SettingName = keyof typeof SETTINGS;

export type Values = {
  readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['defaultOf']>;
};

/** The list without its value types, for code that treats all settings alike. */
export const SETTING_LIST: readonly (readonly [SettingName, Setting<unknown>])[] = Object.entries(
  SETTINGS,
) as [SettingName, Setting<unknown>][];
