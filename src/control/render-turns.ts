// The ledger for a person to read: one line a turn, the oldest first, and what they cost together.
import { columns } from '../lib/columns.js';
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { LedgerLine } from './wire.js';

/** Lines of plain text without a line end at the last. @param turns the newest first, as the ledger has them */
export function renderTurns(turns: readonly LedgerLine[]): string {
  if (turns.length === 0) return 'No turn has been run yet.';
  const usd = turns.reduce((sum, turn) => sum + (turn.usage?.costUsd ?? 0), 0);
  const calls = turns.reduce((sum, turn) => sum + (turn.usage?.modelCalls ?? 0), 0);
  return [
    ...columns(turns.toReversed().map(cellsOf)),
    `${counted(turns.length, 'turn')}, ${counted(calls, 'model call')}, ${humanDollars(usd)}`,
  ].join('\n');
}

function cellsOf(turn: LedgerLine): string[] {
  const { usage, endedAt } = turn;
  return [
    new Date(turn.startedAt).toISOString(),
    oneLine(turn.conversation, 40),
    ids(turn.messages),
    turn.verdict ?? 'no end',
    endedAt === undefined ? '' : humanDuration(endedAt - turn.startedAt),
    usage ? counted(usage.modelCalls, 'call') : '',
    usage ? `${usage.inputTokens} + ${usage.outputTokens} tokens` : '',
    usage ? humanDollars(usage.costUsd) : '',
    oneLine(turn.outcome ?? '', 120),
  ];
}

/** The first is enough for `show`, which tells of the whole claim. */
function ids([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return `${oneLine(first, 40)}${others.length > 0 ? ` +${others.length}` : ''}`;
}
