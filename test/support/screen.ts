// A small terminal: what a person would see of what was written. Breaks long lines anew when it is resized, as most do.
import { displayWidth } from '../../src/lib/display-width.js';

interface Row {
  /** One character a cell; the second cell of a wide one is empty. */
  cells: string[];
  /** The line goes on in the next row. */
  wrapped: boolean;
}

const SEGMENTER = new Intl.Segmenter();
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal is steered with.
const TOKEN = /\u001b\[([?0-9;]*)([A-Za-z])|[\r\n]|[^\u001b\r\n]+/gy;

export class Screen {
  columns: number;
  /** Every write as it came. */
  readonly writes: string[] = [];
  #rows: Row[] = [{ cells: [], wrapped: false }];
  #row = 0;
  #column = 0;
  #rest = '';
  readonly #listeners = new Set<() => void>();

  constructor(columns = 80) {
    this.columns = columns;
  }

  on(_event: 'resize', listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(_event: 'resize', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  write(text: string): void {
    this.writes.push(text);
    this.feed(text);
  }

  /** Throws at a control that no live line needs: whatever it is, it should not be there. */
  feed(chunk: string): void {
    const text = this.#rest + chunk;
    this.#rest = '';
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const at = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match) {
        // A sequence that was cut between two reads of a pipe.
        this.#rest = text.slice(at);
        if (this.#rest.length > 16) throw new Error(`unknown control ${JSON.stringify(this.#rest)}`);
        return;
      }
      const [token, parameters = '', command] = match;
      if (command !== undefined) this.#control(command, parameters);
      else if (token === '\r') this.#column = 0;
      else if (token === '\n') this.#lineFeed();
      else for (const { segment } of SEGMENTER.segment(token)) this.#put(segment);
    }
  }

  resize(columns: number): void {
    const lines: { cells: string[]; at?: number }[] = [];
    let line: { cells: string[]; at?: number } = { cells: [] };
    for (const [index, row] of this.#rows.entries()) {
      if (index === this.#row) line.at = line.cells.length + this.#column;
      line.cells.push(...row.cells);
      if (row.wrapped) continue;
      lines.push(line);
      line = { cells: [] };
    }
    this.columns = columns;
    this.#rows = [];
    for (const { cells, at } of lines) {
      const first = this.#rows.length;
      for (let from = 0; from === 0 || from < cells.length; from += columns) {
        const part = cells.slice(from, from + columns);
        this.#rows.push({ cells: part, wrapped: from + columns < cells.length });
      }
      if (at === undefined) continue;
      this.#row = Math.min(first + Math.floor(at / columns), this.#rows.length - 1);
      this.#column = at - (this.#row - first) * columns;
    }
    for (const listener of this.#listeners) listener();
  }

  /** All rows from the top, trailing blanks cut. */
  get rows(): string[] {
    return this.#rows.map(({ cells }) => cells.join('').trimEnd());
  }

  /** Whole lines, however often they were broken. */
  get lines(): string[] {
    const lines: string[] = [];
    let line = '';
    for (const { cells, wrapped } of this.#rows) {
      line += cells.join('');
      if (wrapped) continue;
      lines.push(line.trimEnd());
      line = '';
    }
    return lines;
  }

  get bottom(): string {
    return this.rows.at(-1) ?? '';
  }

  #control(command: string, parameters: string): void {
    if (command === 'm') return;
    const row = this.#current();
    if (command === 'K') row.cells.length = Math.min(row.cells.length, this.#column);
    else if (command === 'J') {
      row.cells.length = Math.min(row.cells.length, this.#column);
      row.wrapped = false;
      this.#rows.length = this.#row + 1;
    } else if (command === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
    else throw new Error(`unknown control ${parameters}${command}`);
  }

  #lineFeed(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#rows.length) this.#rows.push({ cells: [], wrapped: false });
  }

  #put(character: string): void {
    const width = displayWidth(character);
    if (width === 0) return;
    if (this.#column + width > this.columns) {
      this.#current().wrapped = true;
      this.#lineFeed();
    }
    const { cells } = this.#current();
    while (cells.length < this.#column) cells.push(' ');
    cells[this.#column] = character;
    for (let n = 1; n < width; n += 1) cells[this.#column + n] = '';
    this.#column += width;
  }

  #current(): Row {
    const row = this.#rows[this.#row];
    if (!row) throw new Error('the cursor has left the screen');
    return row;
  }
}
