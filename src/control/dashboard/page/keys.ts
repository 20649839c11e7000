// Keyboard shortcuts: single keys, where nothing is being typed; listed under `?`, and switched off there.
import { make, must } from './dom.js';

export interface Shortcut {
  readonly key: string;
  readonly what: string;
  press(): void;
}

/** Where a letter means something already. */
const TYPED = 'select, textarea, input:not([type="radio"], [type="checkbox"])';
const OFF = 'inbox-worker-keys-off';

export function shortcuts(list: readonly Shortcut[]): void {
  const help = must<HTMLDialogElement>('help');
  const switched = must<HTMLInputElement>('keys-on');
  const all: Shortcut[] = [...list, { key: '?', what: 'this list', press: () => help.showModal() }];
  must('help-keys').replaceChildren(
    ...all.flatMap(({ key, what }) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, what)]),
    make('dt', {}, make('kbd', {}, 'Esc')),
    make('dd', {}, 'close what is open'),
  );
  must('help-open').addEventListener('click', () => help.showModal());
  must('help-close').addEventListener('click', () => help.close());
  // Whoever dictates, or whose hand slips, must be able to do without.
  switched.checked = localStorage.getItem(OFF) === null;
  switched.addEventListener('change', () => {
    if (switched.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !switched.checked) return;
    if (event.target instanceof Element && event.target.closest(TYPED)) return;
    if (document.querySelector('dialog[open]')) return;
    const found = all.find(({ key }) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found.press();
  });
}

/** Moves the focus through the rows of a list by their buttons: `by` 1 down, -1 up. */
export function moveIn(list: Element, by: 1 | -1): void {
  const buttons = [...list.querySelectorAll<HTMLElement>('tbody .name button')];
  const at = buttons.findIndex((one) => one.closest('tr')?.contains(document.activeElement));
  const next = at < 0 ? buttons[0] : buttons[Math.min(buttons.length - 1, Math.max(0, at + by))];
  next?.focus();
}
