// `dead`: what waits for a person's word, dead messages and unsure sends.
import type { Command } from 'commander';
import { renderDead } from '../control/index.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findTarget } from './target.js';

export function addDead(program: Command, context: CliContext): void {
  const command = program
    .command('dead')
    .description('list the messages that were given up, and the sends that may or may not have arrived')
    .option('--json', 'as JSON')
    .action(async (flags: Flags) => {
      const { operations, running } = await findTarget(flags, context);
      const list = await operations.dead();
      if (flags.json) context.out(JSON.stringify({ running, ...list }, null, 2));
      else context.out(renderDead(list, Date.now(), context.self));
    });
  addTargetOptions(command);
}
