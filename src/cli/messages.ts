// `messages`: what came in and how it stands, with the ids that other commands take.
import type { Command } from 'commander';
import { renderMessages } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { MESSAGE_STATES, type MessageState } from '../domain/message.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findTarget } from './target.js';
import { wholeNumber } from './whole-number.js';

const MAX_MESSAGES = 200;

export function addMessages(program: Command, context: CliContext): void {
  const command = program
    .command('messages')
    .description('list messages, with their ids: what waits, what is in work, what became of the others')
    .option('--state <names>', `only in these states, with commas: ${MESSAGE_STATES.join(', ')}`)
    .option('--conversation <name>', 'only of this conversation (@alice, #ops)')
    .option('--limit <n>', 'how many at most, of the last that came in', '20')
    .option('--before <seq>', 'only those that came in before the message of this number (`seq` of --json)')
    .option('--json', 'as JSON, the last that came in first')
    .action(async (flags: Flags) => {
      const query = {
        states: statesOf(flags.state),
        conversation: typeof flags.conversation === 'string' ? flags.conversation : undefined,
        before:
          flags.before === undefined
            ? undefined
            : wholeNumber('--before', flags.before, 1, Number.MAX_SAFE_INTEGER),
        limit: wholeNumber('--limit', flags.limit, 1, MAX_MESSAGES),
      };
      const { operations, running } = await findTarget(flags, context);
      const page = await operations.messages(query);
      if (flags.json) context.out(JSON.stringify({ running, ...page }, null, 2));
      else context.out(renderMessages(page, Date.now(), context.self));
    });
  addTargetOptions(command);
}

function statesOf(value: unknown): MessageState[] | undefined {
  if (typeof value !== 'string') return undefined;
  return value.split(',').map((name) => {
    const state = MESSAGE_STATES.find((one) => one === name.trim());
    if (state) return state;
    throw new WorkerError('usage', `There is no state "${oneWord(name)}".`, {
      hint: `Write one or several, with commas: ${MESSAGE_STATES.join(', ')}.`,
    });
  });
}

const oneWord = (text: string): string => text.trim().slice(0, 40);
