// One line at the bottom of a terminal that says what the worker is doing; the log goes on above it.
import { Writable } from 'node:stream';
import { cutToWidth, displayWidth } from '../lib/display-width.js';
import { oneLine } from '../lib/one-line.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { LiveState } from './live-state.js';
import type { LogStream } from './logger.js';

/** What we need of a terminal: a part of `tty.WriteStream`. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

export interface LiveLineOptions {
  readonly terminal: Terminal;
  /** With colours the line is dimmed, so that the log stands out. */
  readonly colour: boolean;
  /** Does the terminal belong to us now? Asked before each drawing: a program in the background must not draw. */
  ours?(): boolean;
}

export interface LiveLine extends Observer {
  /** What is written here stands above the line, whole. */
  readonly stream: LogStream;
  /** Takes the line away until `resume`: somebody else is about to have the terminal. */
  pause(): void;
  resume(): void;
  /** Takes the line away for good. May be repeated. */
  end(): void;
}

/** More often no eye can follow, and a terminal over a slow line could not either. */
const DRAW_MS = 100;
/** Countdowns tell whole seconds. */
const TICK_MS = 1_000;
const DEFAULT_COLUMNS = 80;

const CLEAR = '\r\u001b[K';
const CLEAR_BELOW = '\r\u001b[J';

export function liveLine(options: LiveLineOptions): LiveLine {
  return new Line(options);
}

class Line implements LiveLine {
  readonly stream: LogStream;
  readonly #options: LiveLineOptions;
  readonly #doing = new LiveState();
  #phase: 'shown' | 'paused' | 'ended' = 'shown';
  /** What stands on the line now. */
  #drawn = '';
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(options: LiveLineOptions) {
    this.#options = options;
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        this.#print(String(chunk));
        done();
      },
    });
    this.stream = Object.assign(stream, { isTTY: true });
    options.terminal.on('resize', this.#resized);
    this.#drawIn(0);
  }

  on(event: WorkerEvent): void {
    this.#doing.follow(event, Date.now());
    this.#drawIn(Math.max(0, this.#drawnAt + DRAW_MS - Date.now()));
  }

  pause(): void {
    if (this.#phase !== 'shown') return;
    this.#phase = 'paused';
    this.#erase();
  }

  resume(): void {
    if (this.#phase !== 'paused') return;
    this.#phase = 'shown';
    this.#draw();
  }

  end(): void {
    if (this.#phase === 'ended') return;
    this.#erase();
    this.#phase = 'ended';
    clearTimeout(this.#timer);
    this.#options.terminal.off('resize', this.#resized);
  }

  /** In one write, so that nothing comes between the line's end and its new beginning. */
  #print(text: string): void {
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    const line = this.#mayDraw() ? this.#text() : '';
    const before = this.#drawn === '' ? '' : CLEAR;
    this.#drawn = line;
    this.#options.terminal.write(`${before}${whole}${this.#styled(line)}`);
  }

  #draw(): void {
    this.#drawnAt = Date.now();
    this.#drawIn(TICK_MS);
    if (!this.#mayDraw()) return;
    const line = this.#text();
    if (line === this.#drawn) return;
    this.#drawn = line;
    // Written over, not erased first: an empty line in between would flicker.
    this.#options.terminal.write(`\r${this.#styled(line)}\u001b[K`);
  }

  #erase(): void {
    if (this.#drawn === '' || !this.#isOurs()) return;
    this.#drawn = '';
    this.#options.terminal.write(CLEAR);
  }

  /**
   * Most terminals break a line anew that has become too long, and leave the cursor at its end: its first row is then
   * above. (On one that cuts it instead, the line above is lost from view.)
   */
  readonly #resized = (): void => {
    if (this.#drawn === '' || !this.#mayDraw()) return;
    const rows = Math.ceil(displayWidth(this.#drawn) / this.#columns());
    this.#drawn = '';
    this.#options.terminal.write(`${rows > 1 ? `\u001b[${rows - 1}A` : ''}${CLEAR_BELOW}`);
    this.#draw();
  };

  /** The last column stays free: a letter there makes some terminals begin a new row. */
  #text(): string {
    return cutToWidth(oneLine(this.#doing.line(Date.now()), 1_000), this.#columns() - 1);
  }

  #styled(line: string): string {
    return this.#options.colour && line !== '' ? `\u001b[2m${line}\u001b[22m` : line;
  }

  #columns(): number {
    return this.#options.terminal.columns || DEFAULT_COLUMNS;
  }

  #mayDraw(): boolean {
    return this.#phase === 'shown' && this.#isOurs();
  }

  #isOurs(): boolean {
    return this.#options.ours?.() ?? true;
  }

  #drawIn(ms: number): void {
    const dueAt = Date.now() + ms;
    if (this.#phase === 'ended' || (this.#timer && this.#dueAt <= dueAt)) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#draw();
    }, ms);
    // It must not keep the program from ending.
    this.#timer.unref();
  }
}
