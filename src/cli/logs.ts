// `logs`: the end of what Claude Code printed, and with --follow what it goes on to print.
import { join } from 'node:path';
import type { Command } from 'commander';
import { agentFolder } from '../app/folders.js';
import { followFile, tailFile } from '../control/index.js';
import { oneLine } from '../lib/one-line.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findPlace } from './target.js';
import { wholeNumber } from './whole-number.js';

const MAX_LINES = 100_000;
const SHOWN_CHARS = 4_000;

export function addLogs(program: Command, context: CliContext): void {
  const command = program
    .command('logs')
    .description('what Claude Code printed (.orchestrator/agent-loop.log of the agent)')
    .option('--lines <n>', 'how many of the last lines', '50')
    .option('--follow', 'go on as more is printed, until Ctrl-C')
    .option('--json', 'as JSON; with --follow one object a line')
    .action((flags: Flags) => logs(flags, context));
  addTargetOptions(command);
}

async function logs(flags: Flags, context: CliContext): Promise<void> {
  const count = wholeNumber('--lines', flags.lines, 0, MAX_LINES);
  const { folder } = await findPlace(flags, context);
  const file = join(agentFolder(folder), 'agent-loop.log');
  const tail = await tailFile(file, count);
  const lines = tail?.lines ?? [];
  if (flags.json && !flags.follow) {
    context.out(JSON.stringify({ file, lines }, null, 2));
    return;
  }
  // What a program printed may hold anything, escape sequences of a terminal too.
  const print = (line: string): void =>
    context.out(flags.json ? JSON.stringify({ line }) : oneLine(line, SHOWN_CHARS));
  if (!tail) context.err(`Claude Code has printed nothing yet: there is no ${file}.`);
  for (const line of lines) print(line);
  // Ctrl-C ends the program as it ends any other: there is nothing to give back.
  if (flags.follow) await followFile(file, tail?.end, print, new AbortController().signal);
}
