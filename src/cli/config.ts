// `config`: every setting with its value and where it came from; secrets stay hidden.
import type { Command } from 'commander';
import {
  describeOrigin,
  describeSettings,
  GROUP_TITLES,
  loadSettings,
  type SettingRow,
} from '../config/index.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { addSettingOptions, type Flags } from './setting-options.js';

export function addConfig(program: Command, context: CliContext): void {
  const command = program
    .command('config')
    .description('every setting: its value, where it came from, what it is')
    .option('--json', 'as JSON')
    .option(...CONFIG)
    .action((flags: Flags) => config(flags, context));
  // All of them: what would be in force with these flags is a fair question.
  addSettingOptions(command);
}

async function config(flags: Flags, context: CliContext): Promise<void> {
  const { env, cwd } = context;
  const settings = await loadSettings({ flags, env, cwd, file: configOf(flags) });
  const rows = describeSettings(settings);
  for (const warning of settings.warnings) context.err(`warning: ${warning}`);
  if (flags.json) {
    const listed = rows.map((row) => ({
      ...row,
      changed: isChanged(row),
      reloadable: row.restart === undefined,
    }));
    context.out(JSON.stringify({ dir: settings.dir, settings: listed }, null, 2));
    return;
  }
  for (const line of settingLines(rows, context.self)) context.out(line);
}

/** The rows as `config` prints them: by group, a `*` before each that is not at its default. @param self how to call us */
export function settingLines(rows: readonly SettingRow[], self: string): string[] {
  const width = Math.max(...rows.map((row) => row.key.length));
  const groups = Object.entries(GROUP_TITLES).flatMap(([group, title]) => {
    const own = rows.filter((row) => row.group === group);
    return own.length === 0 ? [] : [title, ...own.flatMap((row) => linesOf(row, width)), ''];
  });
  const changed = rows.filter(isChanged).length;
  const marked = changed === 0 ? 'All at their defaults' : `* ${changed} of ${rows.length} set by you`;
  return [
    ...groups,
    `${marked}. How to write each, and where: docs/settings.md`,
    `[restart] A new value takes a restart; all others are taken by: ${self} reload`,
  ];
}

const isChanged = ({ origin }: SettingRow): boolean => origin.from !== 'default';

function linesOf(row: SettingRow, width: number): string[] {
  const origin = isChanged(row) ? `  (${describeOrigin(row.origin)})` : '';
  const restart = row.restart === undefined ? '' : '  [restart]';
  return [
    `${isChanged(row) ? '*' : ' '} ${row.key.padEnd(width)}  ${shownValue(row)}${origin}${restart}`,
    `  ${' '.repeat(width)}    ${row.caption.replaceAll('`', '')}`,
  ];
}

/** Only a bare number needs its unit: a duration is written with it, and a word has none. */
function shownValue({ value, unit }: SettingRow): string {
  const text = value.replaceAll('\n', '\\n');
  if (text === '') return '–';
  return unit !== '' && /^[\d.]+$/.test(text) ? `${text} ${unit}` : text;
}
