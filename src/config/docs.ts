// Writes what is generated from the schema: the table of docs/settings.md and config/worker.example.json.
import { SETTING_LIST } from './schema.js';
import type { Group, Setting } from './setting.js';

/** The groups in the order in which they are shown, and what stands above each. */
export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  inbox: 'The inbox',
  agent: 'Claude and its turns',
  worker: 'The worker',
  limits: 'Budgets and caps',
  wake: 'Wakes',
  tell: 'Being told',
  state: 'State and logs',
  control: 'The private listener',
};

const BEGIN = '<!-- settings: generated from the schema, do not edit -->';
const END = '<!-- /settings -->';

/** One table for each group. */
export function settingsTables(): string {
  return (Object.keys(GROUP_TITLES) as Group[])
    .map((group) => {
      const rows = SETTING_LIST.map(([, setting]) => setting).filter((setting) => setting.group === group);
      return [
        `## ${GROUP_TITLES[group]}`,
        '',
        '| key | default | value | flag | short name | reload | what it is |',
        '|---|---|---|---|---|---|---|',
        ...rows.map(row),
      ].join('\n');
    })
    .join('\n\n');
}

function row(setting: Setting<unknown>): string {
  const { kind } = setting;
  const unit = kind.unit === undefined || kind.word === 'duration' ? '' : ` (${kind.unit})`;
  const notes = [
    ...(setting.secret ? ['secret'] : []),
    ...(setting.outsideFiles ? ['flag, environment, or a file given with `--config` or `--all`'] : []),
  ];
  const cells = [
    code(setting.key),
    defaultOf(setting),
    `${kind.word.replaceAll('|', '\\|')}${unit}`,
    setting.flag === undefined ? '–' : code(`--${setting.flag}`),
    setting.env.slice(1).map(code).join(' ') || '–',
    setting.reloadable ? 'yes' : 'restart',
    `${setting.caption}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function defaultOf(setting: Setting<unknown>): string {
  if (setting.defaultText !== undefined) return setting.defaultText;
  const json = exampleValue(setting);
  if (json === undefined || (Array.isArray(json) && json.length === 0)) return 'none';
  return code(String(json));
}

/** Why some take a restart: one line a reason. */
export function restartList(): string {
  const reasons = new Map<string, string[]>();
  for (const [, { key, restart }] of SETTING_LIST) {
    if (restart !== undefined) reasons.set(restart, [...(reasons.get(restart) ?? []), code(key)]);
  }
  return [...reasons].map(([why, keys]) => `- ${keys.join(', ')}: ${why}`).join('\n');
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

/** The page with its generated part replaced. Throws a plain Error when the two marks are not there. */
export function withTables(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page needs the marks ${BEGIN} and ${END}.`);
  const text = `${settingsTables()}\n\n## What takes a restart, and why\n\n${restartList()}`;
  return `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`;
}

/** A settings file that changes nothing: the settings people change most, at their defaults. */
export function exampleJson(): string {
  const entries = SETTING_LIST.map(([, setting]) => setting)
    .filter((setting) => setting.example)
    .map((setting) => [setting.key, exampleValue(setting)]);
  const remark =
    'Copy to config/worker.json in the agent folder and keep what you change. All settings: docs/settings.md';
  return `${JSON.stringify({ '//': remark, ...Object.fromEntries(entries) }, undefined, 2)}\n`;
}

function exampleValue({ defaultOf, kind }: Setting<unknown>): unknown {
  const value = defaultOf({ cwd: '', home: '', env: {} });
  return value === undefined || value === null ? undefined : kind.write(value);
}
