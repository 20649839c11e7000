// The turns: whom each answered, how it ended, how long it took and what it cost.
import { humanDollars, humanDuration } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import type { LedgerLine } from '../../wire.js';
import { must } from './dom.js';
import { table } from './table.js';
import { bytes, clock, whole } from './words.js';

const FIRST = 20;
const MOST = 500;

export interface Turns {
  /** How many are to be asked for. */
  limit(): number;
  show(turns: readonly LedgerLine[], now: number): void;
}

export function turns(wanted: () => void, open: (id: string) => void): Turns {
  let limit = FIRST;
  const grid = table<LedgerLine>('Turns, the newest first', 'No turn has been run yet.', ({ id }) => id, [
    {
      title: 'Began',
      kind: 'when',
      text: ({ startedAt }, now) => clock(startedAt, now),
      hint: ({ startedAt }) => whole(startedAt),
    },
    {
      title: 'Ended as',
      kind: 'sign',
      text: ({ verdict, endedAt }) => verdict ?? (endedAt === undefined ? 'no end yet' : 'ended'),
      mark: ({ verdict }) => verdict ?? 'claimed',
    },
    {
      title: 'With',
      kind: 'name',
      text: ({ conversation, messages }) =>
        `${oneLine(conversation, 60)}${messages.length > 1 ? `, ${messages.length} messages` : ''}`,
      press: ({ messages: [first] }) => first !== undefined && open(first),
      label: (_turn, who) => `Show what the turn with ${who} answered`,
    },
    {
      title: 'Took',
      kind: 'number',
      text: ({ startedAt, endedAt }, now) => humanDuration(roughly((endedAt ?? now) - startedAt, endedAt)),
    },
    { title: 'Model calls', kind: 'number', text: ({ usage }) => (usage ? String(usage.modelCalls) : '') },
    { title: 'Prompt', kind: 'number', text: ({ promptBytes }) => bytes(promptBytes) },
    {
      title: 'Tokens in, out',
      kind: 'number spare',
      text: ({ usage }) => (usage ? `${usage.inputTokens}, ${usage.outputTokens}` : ''),
    },
    { title: 'Cost', kind: 'number', text: ({ usage }) => (usage ? humanDollars(usage.costUsd) : '') },
    { title: 'Outcome', kind: 'wide', text: ({ outcome }) => oneLine(outcome ?? '', 160) },
  ]);
  must('turns-list').replaceChildren(grid.element);
  const more = must('more-turns');
  more.addEventListener('click', () => {
    limit = Math.min(MOST, limit * 5);
    wanted();
  });
  return {
    limit: () => limit,
    show(lines, now) {
      grid.show(lines, now);
      const had = document.activeElement === more;
      more.hidden = lines.length < limit || limit === MOST;
      if (had && more.hidden) must('turns').focus();
    },
  };
}

/** Whole seconds while it runs. */
const roughly = (ms: number, endedAt: number | undefined): number =>
  endedAt === undefined ? Math.floor(ms / 1_000) * 1_000 : ms;
