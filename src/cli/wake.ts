// `wake`: look at the inbox now.
import type { Command } from 'commander';
import { controlClient } from '../control/index.js';
import type { CliContext } from './context.js';
import { addChoosing, findWorkers, shortName, toEach } from './running.js';
import type { Flags } from './setting-options.js';

export function addWake(program: Command, context: CliContext): void {
  const command = program
    .command('wake')
    .description('make the running worker look at its inbox now')
    .option('--all', 'every agent that runs here')
    .action(async (flags: Flags) => {
      const hint = `Start it, and it looks at once: ${context.self} run`;
      await toEach(await findWorkers(flags, context, hint), async (entry) => {
        await controlClient(entry).wake();
        context.out(`Woken: ${shortName(entry)}.`);
      });
    });
  addChoosing(command);
}
