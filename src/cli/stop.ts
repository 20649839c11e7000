// `stop`: drains the running worker, or with --force ends its turn now.
import type { Command } from 'commander';
import { controlClient, type RunningEntry } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { processStart } from '../lib/process-identity.js';
import type { CliContext } from './context.js';
import { addChoosing, findRunning, findWorkers, shortName, toEach } from './running.js';
import type { Flags } from './setting-options.js';

export function addStop(program: Command, context: CliContext): void {
  const command = program
    .command('stop')
    .description('let the running worker finish its turn and end (an embedded inbox: --inbox local-inbox)')
    .option('--force', 'end the running turn now; its message is taken up again at the next start')
    .option('--all', 'every agent that runs here')
    .action(async (flags: Flags) => {
      const how = flags.force ? 'force' : 'drain';
      await toEach(await toStop(flags, context), async (entry) => {
        if (entry.control) await controlClient(entry).stop(how);
        // An embedded inbox has nothing to drain and no private listener: a signal, to this very process only.
        else if (processStart(entry.pid) === entry.processStart) process.kill(entry.pid, 'SIGTERM');
        context.out(`Stopping (${how}): ${shortName(entry)}.`);
      });
    });
  addChoosing(command);
}

/** Workers and rehearsals; the embedded inbox only by its name, since others depend on it. */
async function toStop(flags: Flags, context: CliContext): Promise<readonly RunningEntry[]> {
  try {
    const hint = `There is nothing to stop. How it was left: ${context.self} status`;
    return await findWorkers(flags, context, hint);
  } catch (error) {
    const inbox = await findRunning(flags, 'inbox', context).catch(() => undefined);
    if (!inbox || !(error instanceof WorkerError) || error.code !== 'not-running') throw error;
    if (flags.inbox !== undefined) return [inbox];
    throw new WorkerError('not-running', `No worker is running; an embedded inbox is (pid ${inbox.pid}).`, {
      hint: `To end the inbox: ${context.self} stop --inbox ${inbox.inboxName}`,
    });
  }
}
