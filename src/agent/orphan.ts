// Ends a Claude Code that outlived its worker, at the next start.
import { endMarked, type KnownProcess, signalProcess, waitUntilGone } from './tree.js';

/**
 * Ends the process `pid` with its group, if it is still the one that started at `processStart`, and with `mark` all
 * that it started and left behind. Answers `ended`, or `gone` when the process was no longer there.
 */
export async function endOrphan(pid: number, processStart: string, mark?: string): Promise<'ended' | 'gone'> {
  const known: KnownProcess = { pid, start: processStart };
  const lives = signalProcess(known, 'SIGTERM', true);
  // It was in the middle of something nobody waits for any more: no long grace.
  if (lives && !(await waitUntilGone(known, 2_000))) {
    signalProcess(known, 'SIGKILL', true);
    await waitUntilGone(known, 2_000);
  }
  if (mark !== undefined) await endMarked(mark, 500);
  return lives ? 'ended' : 'gone';
}
