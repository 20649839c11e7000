// `pause` and `resume`: the control file that lets no turn start, put there and taken away.
import type { Command } from 'commander';
import { agentFolder } from '../app/folders.js';
import { setPaused } from '../control/index.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findPlace, type Place } from './target.js';

export function addPause(program: Command, context: CliContext): void {
  const command = program
    .command('pause')
    .description('start no further turn; mail is still stored, a running turn ends; outlives restarts')
    .option('--json', 'as JSON')
    .action((flags: Flags) => pause(true, flags, context));
  addTargetOptions(command);
}

export function addResume(program: Command, context: CliContext): void {
  const command = program
    .command('resume')
    .description('go on after a pause')
    .option('--json', 'as JSON')
    .action((flags: Flags) => pause(false, flags, context));
  addTargetOptions(command);
}

async function pause(paused: boolean, flags: Flags, context: CliContext): Promise<void> {
  const place = await findPlace(flags, context);
  const { folder, entry } = place;
  const changed = await setPaused(agentFolder(folder), paused, Date.now());
  if (flags.json) context.out(JSON.stringify({ paused, changed, folder, running: entry !== undefined }));
  else context.out(sentence(paused, changed, place, context.self));
}

function sentence(paused: boolean, changed: boolean, { folder, entry }: Place, self: string): string {
  const who = entry
    ? `${entry.kind} ${entry.inboxName}, pid ${entry.pid}`
    : `the agent of ${folder}, which is not running`;
  if (!changed) return paused ? `Paused already: ${who}.` : `Not paused: ${who}.`;
  return paused ? `Paused until \`${self} resume\`: ${who}.` : `Resumed: ${who}.`;
}
