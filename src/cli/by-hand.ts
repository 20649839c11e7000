// `retry` and `drop`: a person's word about a dead message or an unsure send.
import type { Command } from 'commander';
import { counted } from '../lib/human.js';
import type { CliContext } from './context.js';
import { wholeId } from './message-id.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findTarget, type Target } from './target.js';

/** What was done, for `--json`, and in a sentence. */
interface Done {
  readonly json: object;
  readonly text: string;
}

const ID_HELP = 'a message id or its first characters (4 or more); out-N for a send, as `dead` lists them';

export function addRetry(program: Command, context: CliContext): void {
  add(
    program,
    context,
    'retry',
    'try a dead message again, with the others of its claim; send an unsure send again',
    retry,
  );
}

export function addDrop(program: Command, context: CliContext): void {
  add(
    program,
    context,
    'drop',
    'let a waiting or dead message rest, with the others of its claim; give an unsure send up',
    drop,
  );
}

function add(
  program: Command,
  context: CliContext,
  name: string,
  description: string,
  work: (id: string, target: Target) => Promise<Done>,
): void {
  const command = program
    .command(name)
    .description(description)
    .argument('<id>', ID_HELP)
    .option('--json', 'as JSON')
    .action(async (given: string, flags: Flags) => {
      const target = await findTarget(flags, context);
      const id = outboxRow(given) === undefined ? await wholeId(target.operations, given) : given;
      const { json, text } = await work(id, target);
      context.out(flags.json ? JSON.stringify({ id, running: target.running, ...json }) : text);
    });
  addTargetOptions(command);
}

async function retry(id: string, { operations, running }: Target): Promise<Done> {
  const row = outboxRow(id);
  const when = running ? 'now' : 'when the worker is started';
  if (row !== undefined) {
    await operations.settleUnsure(row, 'resend');
    return { json: { state: 'queued' }, text: `${id} is sent again ${when}; it may arrive twice.` };
  }
  const { claimId, messages, waits } = await operations.retry(id);
  const due = waits ? 'after what its conversation has in work' : when;
  return {
    json: { state: 'retry', claimId, messages, waits },
    text: `${counted(messages, 'message')} tried again ${due}: ${id}${others(messages)}.`,
  };
}

async function drop(id: string, { operations }: Target): Promise<Done> {
  const row = outboxRow(id);
  if (row !== undefined) {
    await operations.settleUnsure(row, 'drop');
    return { json: { state: 'refused' }, text: `${id} is given up, with the later parts of its text.` };
  }
  const { messages } = await operations.drop(id);
  return {
    json: { state: 'silent', messages },
    text: `${counted(messages, 'message')} dropped: ${id}${others(messages)}.`,
  };
}

const others = (messages: number): string =>
  messages > 1 ? ` and ${counted(messages - 1, 'other')} of its claim` : '';

/** `out-12` names row 12 of the outbox; anything else is the id of a message. */
function outboxRow(id: string): number | undefined {
  const digits = /^out-(\d{1,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
