// `send` and `read`: writes to an agent and reads what it answers, as another alias of the embedded inbox.
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { RunningEntry } from '../control/index.js';
import { sameName } from '../domain/addressing.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { type Letter, MailClient } from './mail-client.js';
import { CHOOSING, findRunning } from './running.js';
import { addSettingOptions, type Flags } from './setting-options.js';
import { readWait } from './wait.js';

const WITH_INBOX = ['inbox', 'rehearsal'] as const;

export function addSend(program: Command, context: CliContext): void {
  const command = program
    .command('send')
    .description('send a message to an agent of the embedded inbox or the rehearsal')
    .argument('[text...]', 'the message; - reads it from standard input')
    .option('--to <alias>', 'to whom (default: the agent)')
    .option('--as <alias>', 'from whom', '@you')
    .option('--wait [duration]', 'print the answer; give up after this long: --wait 5m TEXT (default 60s)')
    .option('--json', 'as JSON')
    .action((words: string[], flags: Flags) => send(words, flags, context));
  addSettingOptions(command, CHOOSING);
}

export function addRead(program: Command, context: CliContext): void {
  const command = program
    .command('read')
    .description('read what has come in for an alias of the embedded inbox or the rehearsal')
    .option('--as <alias>', 'whose mail', '@you')
    .option('--json', 'as JSON')
    .action(async (flags: Flags) => {
      const client = await open(flags, context);
      try {
        const letters = await client.take();
        if (flags.json) context.out(JSON.stringify(letters, null, 2));
        else if (letters.length === 0) context.out('Nothing new.');
        else for (const letter of letters) context.out(`${letter.from}: ${letter.text}`);
      } finally {
        await client.close();
      }
    });
  addSettingOptions(command, CHOOSING);
}

async function send(given: string[], flags: Flags, context: CliContext): Promise<void> {
  const { limitMs, words } = readWait(flags.wait, given);
  if (words.length === 0) throw new WorkerError('usage', 'There is no message to send.');
  const entry = await findRunning(flags, WITH_INBOX, context);
  const to = typeof flags.to === 'string' ? flags.to : (entry.agentAlias ?? '@agent');
  const text = words.length === 1 && words[0] === '-' ? await readAll(process.stdin) : words.join(' ');
  const client = clientOf(entry, String(flags.as), context);
  try {
    // What lies there already is not the answer; it is shown, since taking it marks it as read.
    const earlier = limitMs === undefined ? [] : await client.take();
    for (const letter of earlier) context.err(`earlier, ${letter.from}: ${letter.text}`);
    const id = await client.send(to, text);
    if (limitMs === undefined) {
      context.out(flags.json ? JSON.stringify({ id, to }) : `Sent to ${to} (${id}).`);
      return;
    }
    const isAnswer = (letter: Letter): boolean => sameName(letter.from, to);
    const letters = await client.waitFor(isAnswer, limitMs);
    const answer = letters.filter(isAnswer);
    for (const letter of letters.filter((other) => !isAnswer(other))) {
      context.err(`meanwhile, ${letter.from}: ${letter.text}`);
    }
    if (answer.length === 0) {
      throw new WorkerError('wait-expired', `${to} did not answer within ${Math.round(limitMs / 1000)} s.`);
    }
    context.out(
      flags.json ? JSON.stringify({ id, to, answer }, null, 2) : answer.map((letter) => letter.text).join(''),
    );
  } finally {
    await client.close();
  }
}

async function open(flags: Flags, context: CliContext): Promise<MailClient> {
  return clientOf(await findRunning(flags, WITH_INBOX, context), String(flags.as), context);
}

function clientOf(entry: RunningEntry, as: string, context: CliContext): MailClient {
  const keys = entry.inbox?.keys ?? {};
  const found = Object.entries(keys).find(([alias]) => sameName(alias, as));
  if (!entry.inbox || !found) {
    throw new WorkerError(
      'usage',
      `There is no alias ${as} in that inbox; it has ${Object.keys(keys).join(', ')}.`,
      {
        hint: `Name one of them with --as, or start the inbox with one more: ${context.self} inbox --alias ${as}`,
      },
    );
  }
  return new MailClient(entry.inbox.url, found[1]);
}
