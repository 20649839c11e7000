// The verdict as a table for people.
import type { ChaosReport } from './run-chaos.js';
import { isGood } from './verdict.js';

export function isGoodRun(report: ChaosReport): boolean {
  return isGood(report, report.vocabulary) && report.ownEnds.length === 0 && report.leftovers === 0;
}

/** Lines of `name  value`, and below them what fared badly. */
export function table(report: ChaosReport): string {
  const rows: [string, string | number][] = [
    ['seed', report.seed],
    ['vocabulary', report.vocabulary],
    ['messages', report.messages],
    ['answered', report.answered],
    ['silent', report.silent],
    ['dead', report.dead],
    ['lost', report.lost],
    ['doubled', report.doubled],
    ['unsure', report.unsure],
    ['so in doubt', report.inDoubt],
    ['never received', report.neverReceived],
    ['to another person', report.astray],
    ['out of order', report.outOfOrder],
    ['long answers broken', report.broken],
    ['ended by itself', report.ownEnds.length],
    ['processes left', report.leftovers],
    ['kills', `${report.kills.total}: ${report.kills}`],
    ['faults', `${report.troubles.total}: ${report.troubles}`],
    ['model calls', report.modelCalls],
    ['turns', report.turns],
    ['duration', `${(report.durationMs / 60_000).toFixed(1)} min`],
    ['verdict', isGoodRun(report) ? 'good' : 'BAD'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...lines, ...report.faults, ...report.ownEnds].join('\n');
}
