// `wake`: look at the inbox now.
import type { Command } from 'commander';
import { controlClient } from '../control/index.js';
import type { CliContext } from './context.js';
import { addChoosing, findRunning } from './running.js';
import type { Flags } from './setting-options.js';

export function addWake(program: Command, context: CliContext): void {
  const command = program
    .command('wake')
    .description('make the running worker look at its inbox now')
    .action(async (flags: Flags) => {
      const entry = await findRunning(flags, ['worker', 'rehearsal'], context);
      await controlClient(entry).wake();
      context.out(`Woken: ${entry.kind} ${entry.inboxName}, pid ${entry.pid}.`);
    });
  addChoosing(command);
}
