// What the program knows: variables, commands and their options. Deploy files may name nothing else.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { addCommands } from '../../src/cli/commands.js';
import type { CliContext } from '../../src/cli/context.js';
import { SETTING_LIST } from '../../src/config/schema.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'config/deploy');
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What stops after the drain deadline: Claude is ended, tellings are told, connections closed. */
export const AFTER_DRAIN_MS = 45_000;

/** Of our settings, by every name. */
const SETTING_VARIABLES = new Map(
  SETTING_LIST.flatMap(([, setting]) => setting.env.map((name) => [name, setting] as const)),
);

/** Of other programs: Claude Code's own, and the system's. */
const OTHERS = ['HOME', 'ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'DISABLE_AUTOUPDATER'];
/** That `.mcp.json` names. */
const OF_ENTRIES = ['AGENTDM_API_KEY'];

/** Why a deploy file may not set this variable, or undefined when it may. */
export function objection(name: string, value?: string): string | undefined {
  if (OTHERS.includes(name) || OF_ENTRIES.includes(name)) return undefined;
  const setting = SETTING_VARIABLES.get(name);
  if (!setting) return `${name} is no variable that the program reads`;
  if (value === undefined) return undefined;
  const reading = setting.kind.read(value, { base: '/', home: '/' });
  return 'value' in reading ? undefined : `${name} is ${value}; write ${reading.write}`;
}

/** Every variable with our prefix in a text. */
export const ourVariables = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bINBOX_WORKER_[A-Z_]+\b/g)].map(([name]) => name)),
];

/** Options of each command, by its name. */
export async function commandOptions(): Promise<Map<string, string[]>> {
  const program = new Command();
  const context = { out: () => {}, err: () => {} } as unknown as CliContext;
  await addCommands(program, context, () => {}, undefined);
  return new Map(
    program.commands.map((command) => [
      command.name(),
      [
        '--help',
        ...command.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null),
      ],
    ]),
  );
}

/** Why nobody could type these words after `inbox-worker`; empty when they are known. */
export async function badWords(words: readonly string[]): Promise<string[]> {
  const options = await commandOptions();
  const known = options.get(words[0] ?? '');
  if (!known) return [`there is no command ${words[0]}`];
  return words
    .filter((word) => word.startsWith('-'))
    .map((word) => word.split('=')[0] ?? '')
    .filter((flag) => !known.includes(flag))
    .map((flag) => `${words[0]} has no option ${flag}`);
}
