// Names that are no setting: refused in the settings file, warned of in the environment.
import type { SettingFault } from './faults.js';
import { nearest } from './nearest.js';
import type { Places } from './reader.js';
import { SETTING_LIST } from './schema.js';
import type { Sources } from './sources.js';
import { isSet } from './sources.js';

const PREFIX = 'INBOX_WORKER_';
/** What a command of `on_hold` finds in its environment, and hands on to a command of ours that it runs. */
const FACTS = 'INBOX_WORKER_EVENT_';
const KEYS = SETTING_LIST.map(([, setting]) => setting.key);
const OUTSIDE = SETTING_LIST.map(([, setting]) => setting).filter((setting) => setting.outsideFiles);

/** Unknown keys of the settings file, and known ones that no file can set. Keys that begin with `//` or `$` are remarks. */
export function misplaced({ file, dotenv }: Sources, places: Places): SettingFault[] {
  const faults: SettingFault[] = [];
  for (const key of Object.keys(file)) {
    if (/^(\/\/|\$)/.test(key)) continue;
    const setting = OUTSIDE.find((candidate) => candidate.key === key);
    if (setting) faults.push(tooLate(`"${key}" in ${places.file}`, setting.flag, setting.env[0]));
    else if (!KEYS.includes(key)) faults.push(unknownKey(key, places.file));
  }
  for (const { flag, env } of OUTSIDE) {
    const name = env.find((candidate) => isSet(dotenv[candidate]));
    if (name !== undefined) faults.push(tooLate(`${name} in ${places.dotenv}`, flag, env[0]));
  }
  return faults;
}

function unknownKey(key: string, fileName: string): SettingFault {
  const near = nearest(key, KEYS);
  const advice = near === undefined ? 'remove it.' : `did you mean "${near}"?`;
  return { code: 'setting-unknown', sentence: `"${key}" in ${fileName} is no setting; ${advice}` };
}

function tooLate(subject: string, flag: string | undefined, env: string | undefined): SettingFault {
  return {
    code: 'setting-invalid',
    sentence: `${subject} comes too late: that file was found by it; write --${flag} or set ${env} in the environment.`,
  };
}

/** Variables with our prefix that are no setting: most likely misspelt, but another program's at worst. */
export function unknownVariables({ env, dotenv }: Sources, places: Places): string[] {
  return [...strangers(env, 'the environment'), ...strangers(dotenv, places.dotenv)];
}

function strangers(values: Readonly<Record<string, string | undefined>>, where: string): string[] {
  return Object.keys(values)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(FACTS))
    .map((name) => ({ name, key: name.slice(PREFIX.length).toLowerCase() }))
    .filter(({ key }) => !KEYS.includes(key))
    .map(({ name, key }) => {
      const near = nearest(key, KEYS);
      const advice = near === undefined ? '.' : `; did you mean ${PREFIX}${near.toUpperCase()}?`;
      return `${name} in ${where} is no setting and was ignored${advice}`;
    });
}
