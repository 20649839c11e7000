// `reload`: the running worker reads its files again, takes what it can and says what takes a restart.
import type { Command } from 'commander';
import { controlClient, type Reloaded, type RunningEntry } from '../control/index.js';
import { oneLine } from '../lib/one-line.js';
import type { CliContext } from './context.js';
import { addChoosing, findWorkers, shortName, toEach } from './running.js';
import type { Flags } from './setting-options.js';

/** Longer than a reload that waits for another one; a turn that runs does not hold it up. */
const DEADLINE_MS = 15_000;

export function addReload(program: Command, context: CliContext): void {
  const command = program
    .command('reload')
    .description('let the running worker read its settings again (as SIGHUP does); says what takes a restart')
    .option('--all', 'every agent that runs here; with --json one object a line')
    .option('--json', 'as JSON')
    .action(async (flags: Flags) => {
      const hint = `There is nothing to reload; a start reads everything: ${context.self} run`;
      const entries = await findWorkers(flags, context, hint);
      await toEach(entries, (entry) => reload(entry, flags, context));
    });
  addChoosing(command);
}

async function reload(entry: RunningEntry, flags: Flags, context: CliContext): Promise<void> {
  const reloaded = await controlClient(entry, { deadlineMs: DEADLINE_MS }).reload();
  const { kind, pid, name, folder, inboxName: inbox } = entry;
  if (flags.json) {
    const document = { kind, pid, name, folder, inbox, ...reloaded };
    context.out(flags.all ? JSON.stringify(document) : JSON.stringify(document, null, 2));
    return;
  }
  for (const warning of reloaded.warnings) context.err(`warning: ${warning}`);
  context.out(`Reloaded: ${shortName(entry)}.`);
  for (const line of describe(reloaded, context.self)) context.out(line);
}

function describe({ changed, kept }: Reloaded, self: string): string[] {
  const shown = (value: string): string => (value === '' ? '–' : oneLine(value, 60));
  if (changed.length + kept.length === 0) {
    return [
      'Nothing has changed. (A flag or variable of its start goes before the files.)',
      `What stands where, as seen from here: ${self} config`,
    ];
  }
  const width = Math.max(...[...changed, ...kept].map(({ key }) => key.length));
  return [
    ...changed.map(({ key, from, to }) => `  ${key.padEnd(width)}  ${shown(from)} → ${shown(to)}`),
    ...(kept.length > 0 ? ['Kept until a restart:'] : []),
    ...kept.map(
      ({ key, running, wanted, why }) =>
        `  ${key.padEnd(width)}  ${shown(running)} (wanted: ${shown(wanted)}): ${why}`,
    ),
  ];
}
