// The messages, in pages: all of them, those in one state, those of one conversation.
import type { MessageState } from '../../../domain/message.js';
import { counted } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import type { MessageLine, MessageQuery } from '../../../ports/reports.js';
import { messageDetail } from '../../message-words.js';
import type { MessagePage } from '../../wire.js';
import { make, must, setText } from './dom.js';
import { table } from './table.js';
import { ago, whole } from './words.js';

const PAGE = 15;

const FILTERS: readonly (readonly [name: string, states: readonly MessageState[] | undefined])[] = [
  ['All messages', undefined],
  ['Open', ['waiting', 'claimed', 'retry']],
  ['Answered', ['answered']],
  ['Silent', ['silent']],
  ['Given up', ['dead']],
];

export interface Messages {
  /** What is to be asked for, as the filters and the page stand. */
  query(): MessageQuery;
  show(page: MessagePage, now: number): void;
  tick(now: number): void;
  /** Of one conversation alone. */
  choose(conversation: string): void;
}

/** @param wanted another page or another filter was chosen @param open shows one message's life */
export function messages(wanted: () => void, open: (id: string) => void): Messages {
  const state = must<HTMLSelectElement>('filter-state');
  const chip = must('filter-conversation');
  const [newer, older] = [must('newer'), must('older')];
  let conversation: string | undefined;
  /** Where the pages before this one began; the first begins with the newest. */
  let pages: (number | undefined)[] = [undefined];
  let last: number | undefined;

  const grid = table<MessageLine>(
    'Messages, the last that came in first',
    'There is no such message.',
    ({ id }) => id,
    [
      { title: 'State', kind: 'sign', text: (line) => stateWord(line.state), mark: (line) => line.state },
      {
        title: 'From',
        kind: 'name',
        text: ({ sender, conversation: of }) =>
          sender === of ? oneLine(sender, 80) : `${oneLine(sender, 80)} in ${oneLine(of, 80)}`,
        press: ({ id }) => open(id),
        label: (line, who) => `Show the message of ${who}, ${stateWord(line.state)}`,
      },
      {
        title: 'Came in',
        kind: 'when',
        text: ({ spooledAt }, now) => ago(spooledAt, now),
        hint: ({ spooledAt }) => whole(spooledAt),
      },
      {
        title: 'Length',
        kind: 'number spare',
        text: ({ chars }) => String(chars),
        hint: ({ chars }) => counted(chars, 'character'),
      },
      { title: 'What became of it', kind: 'wide', text: (line, now) => messageDetail(line, now) },
    ],
  );
  must('messages-list').replaceChildren(grid.element);
  state.replaceChildren(...FILTERS.map(([name], n) => make('option', { value: String(n) }, name)));

  const begin = (): void => {
    pages = [undefined];
    chip.hidden = conversation === undefined;
    setText(chip, `${oneLine(conversation ?? '', 40)} ✕`);
    chip.setAttribute(
      'aria-label',
      `Show messages of all conversations, not only of ${oneLine(conversation ?? '', 40)}`,
    );
    wanted();
  };
  state.addEventListener('change', begin);
  chip.addEventListener('click', () => {
    conversation = undefined;
    state.focus();
    begin();
  });
  older.addEventListener('click', () => {
    pages.push(last);
    wanted();
  });
  newer.addEventListener('click', () => {
    if (pages.length > 1) pages.pop();
    wanted();
  });

  return {
    query: () => ({
      states: FILTERS[Number(state.value)]?.[1],
      conversation,
      before: pages.at(-1),
      limit: PAGE,
    }),
    show(page, now) {
      last = page.messages.at(-1)?.seq;
      grid.show(page.messages, now);
      keepFocus(newer, older, pages.length > 1);
      keepFocus(older, newer, page.more);
    },
    tick: grid.tick,
    choose(one) {
      conversation = one;
      begin();
      must('messages').focus();
    },
  };
}

const WORDS: Partial<Record<MessageState, string>> = { claimed: 'in work', dead: 'given up' };
const stateWord = (state: MessageState): string => WORDS[state] ?? state;

/** A button that goes while it has the focus hands it on. */
function keepFocus(one: HTMLElement, other: HTMLElement, shown: boolean): void {
  const had = document.activeElement === one;
  one.hidden = !shown;
  if (had && !shown) (other.hidden ? must('messages') : other).focus();
}
