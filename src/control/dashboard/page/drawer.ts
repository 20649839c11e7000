// One message's whole life, beside the page: what it said, what was tried, what was sent, what it cost.
import { humanDuration } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import { visible } from '../../../lib/visible.js';
import { reportPaths } from '../../report-paths.js';
import { costWords, openSends, type StoryEvent, stateWords, storyEvents } from '../../story-events.js';
import type { MessageStory } from '../../wire.js';
import type { Actions } from './actions.js';
import type { Api } from './api.js';
import { button, make, must, setText } from './dom.js';
import { perform } from './said.js';
import { seconds, whole } from './words.js';

export interface Drawer {
  open(id: string): void;
  /** Asks again, where one is shown. */
  refresh(): Promise<void>;
}

/** A text longer than this is told by the command line. */
const SHOWN_CHARS = 20_000;

export function drawer(api: Api, actions: Actions): Drawer {
  const dialog = must<HTMLDialogElement>('story');
  const body = must('story-body');
  let id: string | undefined;
  let shown = '';

  must('story-close').addEventListener('click', () => dialog.close());
  // What lies beside the drawer is its backdrop, and counts as the dialog itself; so does the drawer's own margin.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && event.clientX < dialog.getBoundingClientRect().left) dialog.close();
  });
  dialog.addEventListener('close', () => {
    id = undefined;
    shown = '';
    body.replaceChildren();
  });

  const load = async (wanted: string): Promise<void> => {
    const story = await api.get<MessageStory>(reportPaths.message(wanted));
    // By now another one may be wanted, or none.
    if (wanted !== id) return;
    const text = JSON.stringify(story);
    if (text === shown) return;
    shown = text;
    const hadFocus = body.contains(document.activeElement);
    body.replaceChildren(...render(story, api.now(), actions));
    if (hadFocus) must('story-close').focus();
  };

  return {
    open(wanted) {
      id = wanted;
      setText(must('story-title'), 'Message');
      if (!dialog.open) dialog.showModal();
      void perform('story', async () => {
        await load(wanted);
        return '';
      });
    },
    async refresh() {
      if (id !== undefined) await load(id);
    },
  };
}

function render(story: MessageStory, now: number, actions: Actions): Node[] {
  const { message, sends, turns } = story;
  const { id, sender, conversation, state, lastError } = message;
  setText(must('story-title'), `Message of ${oneLine(sender, 80)}`);
  const facts: (readonly [string, string | undefined])[] = [
    ['State', stateWords(message, now)],
    ['Id', oneLine(id)],
    ['In', conversation === sender ? undefined : oneLine(conversation, 80)],
    ['Came in', whole(message.spooledAt)],
    ['Error', lastError === undefined ? undefined : oneLine(lastError, 1_000)],
    ['Cost', turns.length > 0 ? costWords(turns) : undefined],
  ];
  const list = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [make('dt', {}, name), make('dd', {}, text)],
  );
  const buttons = [
    ...(state === 'dead' ? [button('Retry', () => actions.retry(id))] : []),
    ...(state === 'dead' || state === 'waiting' || state === 'retry'
      ? [button('Drop…', () => actions.drop(id, sender), 'quiet')]
      : []),
  ];
  const events = storyEvents(story);
  const first = events[0]?.at ?? now;
  return [
    make('dl', { class: 'pairs' }, ...list),
    ...(buttons.length > 0 ? [make('div', { class: 'buttons' }, ...buttons)] : []),
    make('h3', {}, 'Its life'),
    make('ol', { class: 'life' }, ...events.map((event) => step(event, first))),
    ...openSends(sends).map((sentence) => make('p', { class: 'open-send' }, sentence)),
  ];
}

function step({ at, text, body }: StoryEvent, first: number): HTMLElement {
  const later = at > first ? `+${humanDuration(at - first)}` : '';
  const time = make('time', { datetime: new Date(at).toISOString(), title: whole(at) }, seconds(at));
  return make(
    'li',
    {},
    time,
    make('span', { class: 'later' }, later),
    make('span', {}, text),
    body === undefined ? undefined : make('pre', { dir: 'auto' }, shortened(body)),
  );
}

function shortened(body: string): string {
  if (body.length <= SHOWN_CHARS) return visible(body);
  return `${visible(body.slice(0, SHOWN_CHARS))}…\n(${body.length - SHOWN_CHARS} more characters: inbox-worker show --bodies)`;
}
