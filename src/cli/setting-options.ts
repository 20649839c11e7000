// Every setting as an option of a command, straight from the schema.
import { type Command, Option } from 'commander';
import { settingOptions } from '../config/index.js';

/** What the parser found: options by their camelCase names. */
export type Flags = Record<string, string | boolean | undefined>;

const GROUPS: Record<string, string> = {
  inbox: 'Inbox:',
  agent: 'Claude:',
  worker: 'Loop and limits:',
  limits: 'Budgets:',
  wake: 'Wakes:',
  tell: 'Being told:',
  state: 'State and logs:',
};

export function addSettingOptions(command: Command, only?: readonly string[]): void {
  for (const { name, group, flags, description } of settingOptions()) {
    if (only && !only.includes(name)) continue;
    command.addOption(new Option(flags, description).helpGroup(GROUPS[group] ?? 'Options:'));
  }
}
