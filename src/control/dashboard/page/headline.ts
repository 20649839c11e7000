// What the worker is doing, and why: the first thing on the page, and its title.
import type { Hold } from '../../../domain/hold.js';
import type { Status } from '../../../domain/status.js';
import { humanDuration } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import { budgetShares } from '../../budget-words.js';
import { make, must, setAttribute, setText } from './dom.js';
import { ahead, clock, healthTone, healthWord } from './words.js';

export function showHeadline(status: Status, name: string, now: number): void {
  const { health, why, stopping } = status;
  const word = healthWord(health);
  setAttribute(must('now'), 'data-tone', healthTone(health));
  setText(must('health'), stopping ? `${word}, stopping` : word);
  setText(must('why'), oneLine(why, 1_000));
  setText(must('until'), until(status, now));
  const sentences = asides(status, now);
  const list = must('holds');
  if (list.dataset.text !== sentences.join('\n')) {
    list.dataset.text = sentences.join('\n');
    list.replaceChildren(...sentences.map((sentence) => make('li', {}, sentence)));
  }
  list.hidden = sentences.length === 0;
  showBudgets(status, now);
  document.title = `${title(status, word)} · ${name}`;
}

function until({ health, holds, turn, look }: Status, now: number): string {
  if (turn) {
    const quiet = humanDuration(Math.floor(Math.max(0, now - turn.lastFrameAt) / 1_000) * 1_000);
    return `for ${humanDuration(Math.floor((now - turn.startedAt) / 1_000) * 1_000)}, last sign of life ${quiet} ago`;
  }
  const hold = holds.find(({ reason }) => reason === health);
  if (hold) return ends(hold, now);
  return look.nextAt === undefined ? '' : `Next look at the inbox ${ahead(look.nextAt, now)}.`;
}

function ends({ until: at, since }: Hold, now: number): string {
  if (at === undefined) return `Since ${clock(since, now)}.`;
  return `Since ${clock(since, now)}; tried again at ${clock(at, now)}, ${ahead(at, now)}.`;
}

/** What holds beside the headline, and conversations that rest. */
function asides({ health, holds, resting }: Status, now: number): string[] {
  return [
    ...holds
      .filter(({ reason }) => reason !== health)
      .map((hold) => `${healthWord(hold.reason)}: ${oneLine(hold.why)} ${ends(hold, now)}`),
    ...resting.map(
      ({ conversation, why, until: at }) =>
        `${oneLine(conversation, 80)} rests until ${clock(at, now)}: ${oneLine(why)}.`,
    ),
  ];
}

/** For a tab that is not looked at. */
function title({ health, messages }: Status, word: string): string {
  const waiting = messages.waiting + messages.claimed + messages.retry;
  return health !== 'working' && waiting > 0 ? `${word}, ${waiting} waiting` : word;
}

function showBudgets({ budgets }: Status, now: number): void {
  const place = must('budgets');
  const bars = budgets.flatMap((state) =>
    budgetShares(state).map(({ text, share }) => ({
      name: `Budget of the ${state.window}`,
      text,
      share,
      anew: state.endsAt === undefined ? '' : `anew ${ahead(state.endsAt, now)}`,
    })),
  );
  const key = JSON.stringify(bars);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.hidden = bars.length === 0;
  place.replaceChildren(
    ...bars.map(({ name, text, share, anew }) => {
      const percent = Math.round(Math.min(1, share) * 100);
      const full = make('div', { class: 'bar-full' });
      full.style.inlineSize = `${Math.min(1, share) * 100}%`;
      const meter = {
        class: 'meter',
        role: 'meter',
        'aria-label': name,
        'aria-valuemin': '0',
        'aria-valuemax': '100',
        'aria-valuenow': String(percent),
        'aria-valuetext': text,
        'data-tone': share >= 1 ? 'bad' : share >= 0.8 ? 'wait' : 'good',
      };
      const words = make(
        'p',
        {},
        make('span', {}, name),
        make('strong', {}, text),
        make('span', { class: 'muted' }, anew),
      );
      return make('div', { class: 'budget' }, words, make('div', meter, full));
    }),
  );
}
