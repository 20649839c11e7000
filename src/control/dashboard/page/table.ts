// A table whose rows stay where they are while what they say changes.
import { type Child, keyed, make, setAttribute, setText } from './dom.js';

export interface Column<T> {
  readonly title: string;
  /** Classes of its cells: `number`, `name`, `wide`, `spare` (left out on a phone). */
  readonly kind?: string;
  text(item: T, now: number): string;
  /** For whoever rests the pointer on it. */
  hint?(item: T): string | undefined;
  /** Shows the text as a mark of this name: a state with its colour and sign. */
  mark?(item: T): string | undefined;
  /** Makes the cell a button. */
  press?(item: T): void;
  /** What the button is called, where its text alone does not say: with that text in it, for who speaks to it. */
  label?(item: T, text: string): string;
  /** The looks of the button; default a link. */
  readonly button?: string;
}

/** In place of a zero, which is noise in a column that is looked through for something. */
export const NONE = '–';

export interface Table<T> {
  readonly element: HTMLElement;
  show(items: readonly T[], now: number): void;
  /** Tells the same items at another time. */
  tick(now: number): void;
}

export function table<T>(
  caption: string,
  empty: string,
  key: (item: T) => string,
  columns: readonly Column<T>[],
): Table<T> {
  const body = make('tbody');
  const head = make(
    'tr',
    {},
    ...columns.map(({ title, kind }) =>
      make('th', { scope: 'col', class: kind }, title || unseen('Actions')),
    ),
  );
  const grid = make(
    'table',
    {},
    make('caption', { class: 'unseen' }, caption),
    make('thead', {}, head),
    body,
  );
  const nothing = make('p', { class: 'empty' }, empty);
  const element = make('div', {}, grid, nothing);
  /** What a row's buttons act upon: the item as it was last shown. */
  const items = new WeakMap<HTMLElement, T>();
  let shown: readonly T[] = [];
  let at = 0;

  const create = (): HTMLElement => {
    const row = make('tr');
    for (const column of columns) {
      const cell = make('td', { class: column.kind, 'data-title': column.title || undefined });
      const { press } = column;
      if (press) {
        const pressed = make('button', { type: 'button', class: column.button ?? 'link-like' });
        pressed.addEventListener('click', () => {
          const item = items.get(row);
          if (item !== undefined) press(item);
        });
        cell.append(pressed);
      } else if (column.mark) cell.append(make('span', { class: 'state' }));
      row.append(cell);
    }
    return row;
  };

  const fill = (row: HTMLElement, item: T): void => {
    items.set(row, item);
    for (const [n, column] of columns.entries()) {
      const cell = row.children[n];
      const holder = cell?.firstElementChild ?? cell;
      if (!cell || !holder) continue;
      const text = column.text(item, at);
      setText(holder, text);
      setAttribute(holder, 'data-mark', column.mark?.(item));
      setAttribute(cell, 'title', column.hint?.(item));
      setAttribute(cell, 'data-none', text === NONE ? '' : undefined);
      setAttribute(holder, 'aria-label', column.label?.(item, text));
      // A button without a name is none.
      if (column.press) holder.toggleAttribute('hidden', text === '');
    }
  };

  const rows = keyed<T>(body, key, create, fill);
  const draw = (): void => {
    rows(shown);
    grid.hidden = shown.length === 0;
    nothing.hidden = shown.length > 0;
  };
  draw();
  return {
    element,
    show(next, now) {
      shown = next;
      at = now;
      draw();
    },
    tick(now) {
      at = now;
      draw();
    },
  };
}

const unseen = (text: string): Child => make('span', { class: 'unseen' }, text);
