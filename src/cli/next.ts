// `next`: what would be done now, and why; nothing is done by asking.
import type { Command } from 'commander';
import { stoppedPreview } from '../app/stopped-view.js';
import { controlClient, renderNext } from '../control/index.js';
import type { CliContext } from './context.js';
import { inOwnName } from './own-name.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findAgent } from './target.js';

export function addNext(program: Command, context: CliContext): void {
  const command = program
    .command('next')
    .description('what the worker would do now, and why: whom it answers, what holds it; does nothing')
    .option('--json', 'as JSON (docs/json.md)')
    .action(async (flags: Flags) => {
      const agent = await findAgent(flags, context);
      const { running } = agent;
      const preview = running
        ? await controlClient(agent.entry).next()
        : await stoppedPreview(agent.settings, agent.inbox, context.version);
      if (flags.json) {
        context.out(JSON.stringify({ running, ...preview }, null, 2));
        return;
      }
      if (!running) context.out('The worker is not running; this is what it would do when started:');
      context.out(inOwnName(renderNext(preview, Date.now()), context.self));
    });
  addTargetOptions(command);
}
