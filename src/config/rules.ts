// What settings must keep to among each other.
import type { SettingFault } from './faults.js';
import type { SettingName, Values } from './schema.js';
import { SETTINGS } from './schema.js';
import { formatDuration } from './values.js';

interface Rule {
  readonly low: DurationName;
  readonly high: DurationName;
  /** The low one must be smaller, not only as small. */
  readonly strict?: boolean;
  readonly why: string;
}

/** Those that are always there, and never `off`. */
type DurationName = {
  [Name in SettingName]: Name extends `${string}Ms` ? (Values[Name] extends number ? Name : never) : never;
}[SettingName];

const RULES: readonly Rule[] = [
  { low: 'minSleepMs', high: 'maxSleepMs', why: 'the shortest sleep cannot be longer than the longest' },
  {
    low: 'leaseHeartbeatMs',
    high: 'leaseStaleMs',
    strict: true,
    why: 'a living worker would look dead between two heartbeats',
  },
];

/** @param where how a sentence names a setting and where it was set */
export function brokenRules(values: Values, where: (name: SettingName) => string): SettingFault[] {
  const channels: SettingFault[] =
    values.channels === 'all' && values.ownAlias === undefined
      ? [
          {
            code: 'setting-invalid',
            sentence: `${where('channels')} is "all" and own_alias is not set: we would answer our own messages; set own_alias.`,
          },
        ]
      : [];
  const unsigned: SettingFault[] = (['onHold', 'onDead'] as const)
    .filter((name) => {
      const value = values[name];
      return value !== 'off' && value.kind === 'webhook' && value.secret === undefined;
    })
    .filter(() => values.tellSecret.length === 0)
    .map((name) => ({
      code: 'setting-invalid',
      sentence: `${where(name)} is an address and nothing is there to sign with: anybody could post in our name; set tell_secret in .env.`,
    }));
  const order: SettingFault[] = RULES.filter(({ low, high, strict }) =>
    strict === true ? values[low] >= values[high] : values[low] > values[high],
  ).map(({ low, high, why }) => ({
    code: 'setting-invalid',
    sentence: `${where(low)} is ${formatDuration(values[low])} and ${where(high)} is ${formatDuration(values[high])}: ${why}; lower ${SETTINGS[low].key} or raise ${SETTINGS[high].key}.`,
  }));
  return [...order, ...channels, ...unsigned];
}
