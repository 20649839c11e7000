// `show`: a message's life, step by step.
import type { Command } from 'commander';
import { type MessageStory, renderStory } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { wholeId } from './message-id.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findTarget } from './target.js';

export function addShow(program: Command, context: CliContext): void {
  const command = program
    .command('show')
    .description("tell a message's life: when it came, what was tried, what was sent, what it cost")
    .argument('<id>', 'a message id, or its first characters (4 or more)')
    .option('--bodies', 'with the texts that came in and went out')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: Flags) => {
      const { operations, running } = await findTarget(flags, context);
      const story = await operations.show(await wholeId(operations, id));
      if (!story) {
        throw new WorkerError('usage', `The mailbox never saw a message ${id}.`, {
          hint: `Check the id; ${context.self} messages lists them.`,
        });
      }
      const bodies = flags.bodies === true;
      if (flags.json) context.out(JSON.stringify({ running, ...toJson(story, bodies) }, null, 2));
      else context.out(renderStory(story, Date.now(), { bodies }));
    });
  addTargetOptions(command);
}

function toJson({ message, sends, turns }: MessageStory, bodies: boolean): object {
  const told = <T extends { readonly text: string }>({ text, ...rest }: T): object => ({
    ...rest,
    chars: text.length,
    ...(bodies ? { text } : {}),
  });
  return { message: told(message), sends: sends.map(told), turns };
}
