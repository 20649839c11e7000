// The settings as options of a command line, for the help of whoever parses it.
import { SETTING_LIST, type SettingName } from './schema.js';
import type { Group } from './setting.js';

export interface SettingOption {
  readonly name: SettingName;
  readonly group: Group;
  /** `--min-sleep <duration>`, or `--once` for one that takes no value. */
  readonly flags: string;
  readonly description: string;
}

/** All settings that have a flag; secrets have none. What the parser finds goes to `loadSettings` as text. */
export function settingOptions(): SettingOption[] {
  return SETTING_LIST.flatMap(([name, { flag, group, kind, isSwitch, caption }]) =>
    flag === undefined
      ? []
      : [
          {
            name,
            group,
            flags: isSwitch ? `--${flag}` : `--${flag} <${kind.word}>`,
            description: caption.replaceAll('`', ''),
          },
        ],
  );
}
