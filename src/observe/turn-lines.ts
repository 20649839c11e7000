// One log line a turn: the ends of all conversations that shared it are told together, when the last has come.
import { oneLine } from '../lib/one-line.js';
import type { WorkerEvent } from '../ports/observer.js';
import { type Ended, effort, turnSentence } from './sentences.js';

export interface TurnLine {
  readonly level: 'info' | 'warn';
  readonly fields: Record<string, unknown>;
  readonly sentence: string;
}

/** Answers a line at the event that completes one. */
export function turnLines(): (event: WorkerEvent) => TurnLine | undefined {
  /** By turn: how many of its conversations have not ended, and those that have. */
  const open = new Map<string, { left: number; readonly ends: Ended[] }>();
  return (event) => {
    if (event.type === 'turn-began') {
      const turn = open.get(event.turnId) ?? { left: 0, ends: [] };
      turn.left += 1;
      open.set(event.turnId, turn);
    }
    if (event.type !== 'turn-ended') return undefined;
    const turn = open.get(event.turnId) ?? { left: 1, ends: [] };
    turn.left -= 1;
    turn.ends.push(event);
    if (turn.left > 0) return undefined;
    open.delete(event.turnId);
    return lineOf(turn.ends);
  };
}

function lineOf(ends: readonly Ended[]): TurnLine | undefined {
  const [first, ...others] = ends;
  if (!first) return undefined;
  const level = ends.some(({ verdict }) => verdict === 'dead') ? 'warn' : 'info';
  // The first carries what the turn cost; the others came along.
  const { type, usage, claimId, conversation, verdict, ...rest } = first;
  const fields = { event: type, ...rest, ...usage };
  if (others.length === 0) {
    return {
      level,
      fields: { ...fields, claimId, conversation, verdict },
      sentence: turnSentence(first),
    };
  }
  const claims = ends.map((end) => ({
    claimId: end.claimId,
    conversation: end.conversation,
    verdict: end.verdict,
  }));
  const told = ends.map((end) => `${end.verdict} ${oneLine(end.conversation, 80)}`).join(', ');
  return {
    level,
    fields: { ...fields, claims },
    sentence: `one turn for ${ends.length} conversations ${effort(first)}: ${oneLine(told, 1000)}`,
  };
}
