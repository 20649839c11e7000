// Many agents in one glance: a line each.
import type { Status } from '../domain/status.js';
import { counted, humanDollars } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { RunningEntry } from './running-entry.js';

export interface AgentRow {
  readonly entry: RunningEntry;
  /** What it says of itself, or why it said nothing. */
  readonly status: Status | Error;
}

const HEAD = ['agent', 'health', 'waiting', 'dead', 'today', 'pid', 'folder'];

/** Lines of plain text without a line end at the last. */
export function renderAgents(rows: readonly AgentRow[]): string {
  const table = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ entry, status }: AgentRow): string[] {
  const who = [oneLine(entry.name ?? entry.inboxName, 40)];
  const where = [String(entry.pid), oneLine(entry.folder, 200)];
  if (status instanceof Error) return [...who, 'no answer', '?', '?', '?', ...where];
  const { waiting, claimed, retry, dead } = status.messages;
  const { turns, costUsd } = status.today;
  return [
    ...who,
    status.stopping ? `${status.health}, stopping` : status.health,
    String(waiting + claimed + retry),
    String(dead),
    turns === 0 ? '–' : `${counted(turns, 'turn')}, ${humanDollars(costUsd)}`,
    ...where,
  ];
}
