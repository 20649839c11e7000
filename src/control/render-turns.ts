// The ledger for a person to read: one line a turn, the oldest first, and what they cost together.
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { TurnLine } from './wire.js';

/** Lines of plain text without a line end at the last. @param turns the newest first, as the ledger has them */
export function renderTurns(turns: readonly TurnLine[]): string {
  if (turns.length === 0) return 'No turn has been run yet.';
  const rows = turns.toReversed().map(cellsOf);
  const widths = [0, 1, 2, 3, 4, 5, 6].map((n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const usd = turns.reduce((sum, turn) => sum + (turn.usage?.costUsd ?? 0), 0);
  const calls = turns.reduce((sum, turn) => sum + (turn.usage?.modelCalls ?? 0), 0);
  return [
    ...lines,
    `${counted(turns.length, 'turn')}, ${counted(calls, 'model call')}, ${humanDollars(usd)}`,
  ].join('\n');
}

function cellsOf(turn: TurnLine): string[] {
  const { usage, endedAt } = turn;
  return [
    new Date(turn.startedAt).toISOString(),
    oneLine(turn.conversation, 40),
    turn.verdict ?? 'no end',
    endedAt === undefined ? '' : humanDuration(endedAt - turn.startedAt),
    usage ? counted(usage.modelCalls, 'call') : '',
    usage ? `${usage.inputTokens} + ${usage.outputTokens} tokens` : '',
    usage ? humanDollars(usage.costUsd) : '',
    oneLine(turn.outcome ?? '', 120),
  ];
}
