// `status`: what the running worker is doing, in one glance.
import type { Command } from 'commander';
import { controlClient, renderStatus } from '../control/index.js';
import type { CliContext } from './context.js';
import { addChoosing, findRunning } from './running.js';
import type { Flags } from './setting-options.js';

export function addStatus(program: Command, context: CliContext): void {
  const command = program
    .command('status')
    .description('what the running worker is doing, and why')
    .option('--json', 'as JSON')
    .action(async (flags: Flags) => {
      const entry = await findRunning(flags, ['worker', 'rehearsal'], context);
      const status = await controlClient(entry).status();
      if (flags.json) {
        const { kind, pid, folder, inboxName, identity } = entry;
        context.out(JSON.stringify({ kind, pid, folder, inbox: inboxName, identity, ...status }, null, 2));
      } else {
        context.out(`${entry.kind} ${entry.inboxName} in ${entry.folder}, pid ${entry.pid}`);
        context.out(renderStatus(status, Date.now()));
      }
    });
  addChoosing(command);
}
