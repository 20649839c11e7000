// `ledger`: the last turns, what came of them and what they cost.
import type { Command } from 'commander';
import { renderTurns } from '../control/index.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findTarget } from './target.js';
import { wholeNumber } from './whole-number.js';

const MAX_TURNS = 1_000;

export function addLedger(program: Command, context: CliContext): void {
  const command = program
    .command('ledger')
    .description('the last turns: whom they answered, how they ended, what they cost')
    .option('--limit <n>', 'how many at most', '20')
    .option('--json', 'as JSON, the newest first')
    .action(async (flags: Flags) => {
      const limit = wholeNumber('--limit', flags.limit, 1, MAX_TURNS);
      const { operations, running } = await findTarget(flags, context);
      const turns = await operations.turns(limit);
      context.out(flags.json ? JSON.stringify({ running, turns }, null, 2) : renderTurns(turns));
    });
  addTargetOptions(command);
}
