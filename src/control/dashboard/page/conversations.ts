// The conversations: what waits in each, how its last turn ended, what it has cost today.
import { humanDollars } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import type { ConversationLine } from '../../../ports/reports.js';
import type { ConversationList } from '../../wire.js';
import { must, setText } from './dom.js';
import { NONE, table } from './table.js';
import { ago, whole } from './words.js';

export interface Conversations {
  show(list: ConversationList, now: number): void;
  tick(now: number): void;
}

const FIRST = 12;

/** @param choose shows the messages of one alone */
export function conversations(choose: (conversation: string) => void): Conversations {
  const grid = table<ConversationLine>(
    'Conversations, the one with the newest message first',
    'Nobody has written yet.',
    ({ conversation }) => conversation,
    [
      {
        title: 'With',
        kind: 'name',
        text: ({ conversation }) => oneLine(conversation, 80),
        press: ({ conversation }) => choose(conversation),
        label: (_line, who) => `Show the messages of ${who}`,
      },
      {
        title: 'Last message',
        kind: 'when',
        text: ({ lastMessageAt }, now) => ago(lastMessageAt, now),
        hint: ({ lastMessageAt }) => whole(lastMessageAt),
      },
      {
        title: 'Open',
        kind: 'number',
        text: ({ messages }) => some(messages.waiting + messages.claimed + messages.retry),
      },
      { title: 'Answered', kind: 'number', text: ({ messages }) => some(messages.answered) },
      { title: 'Given up', kind: 'number spare', text: ({ messages }) => some(messages.dead) },
      {
        title: 'Last turn',
        kind: 'spare',
        text: ({ lastTurn }) => lastTurnWord(lastTurn),
        hint: ({ lastTurn }) => lastTurn && whole(lastTurn.startedAt),
      },
      { title: 'Turns today', kind: 'number', text: ({ turns }) => some(turns) },
      {
        title: 'Cost today',
        kind: 'number',
        text: ({ costUsd }) => (costUsd > 0 ? humanDollars(costUsd) : NONE),
      },
    ],
  );
  must('conversations-list').replaceChildren(grid.element);
  const button = must('all-conversations');
  let all = false;
  let lines: readonly ConversationLine[] = [];
  const show = (now: number): void => {
    grid.show(all ? lines : lines.slice(0, FIRST), now);
    button.hidden = lines.length <= FIRST;
    setText(button, all ? `Show the last ${FIRST}` : `Show all ${lines.length}`);
  };
  button.addEventListener('click', () => {
    all = !all;
    show(Date.now());
  });
  return {
    show(list, now) {
      lines = list.conversations;
      const listed =
        lines.length < list.total ? `the last ${lines.length} of ${list.total}` : String(list.total);
      setText(must('conversations-count'), list.total === 0 ? '' : listed);
      show(now);
    },
    tick: grid.tick,
  };
}

const some = (count: number): string => (count === 0 ? NONE : String(count));

function lastTurnWord(turn: ConversationLine['lastTurn']): string {
  if (!turn) return NONE;
  return turn.verdict ?? (turn.endedAt === undefined ? 'no end yet' : 'ended');
}
