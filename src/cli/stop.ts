// `stop`: drains the running worker, or with --force ends its turn now.
import type { Command } from 'commander';
import { controlClient } from '../control/index.js';
import { processStart } from '../lib/process-identity.js';
import type { CliContext } from './context.js';
import { CHOOSING, findRunning } from './running.js';
import { addSettingOptions, type Flags } from './setting-options.js';

export function addStop(program: Command, context: CliContext): void {
  const command = program
    .command('stop')
    .description('let the running worker finish its turn and end')
    .option('--force', 'end the running turn now; its message is taken up again at the next start')
    .action(async (flags: Flags) => {
      const entry = await findRunning(flags, ['worker', 'rehearsal', 'inbox'], context);
      const how = flags.force ? 'force' : 'drain';
      if (entry.control) await controlClient(entry).stop(how);
      // An embedded inbox has nothing to drain and no private listener: a signal, to this very process only.
      else if (processStart(entry.pid) === entry.processStart) process.kill(entry.pid, 'SIGTERM');
      context.out(`Stopping (${how}): ${entry.kind} ${entry.inboxName}, pid ${entry.pid}.`);
    });
  addSettingOptions(command, CHOOSING);
}
