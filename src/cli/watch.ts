// Shows a page again and again: drawn anew on a terminal, block by block where there is none.
import { setTimeout as sleep } from 'node:timers/promises';
import { duration } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';

/** The terminal, or whatever stands in its place. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly rows?: number | undefined;
  readonly columns?: number | undefined;
  readonly destroyed: boolean;
  write(text: string): unknown;
}

export interface WatchWish {
  /** The page of this moment. Rejections end the watch. */
  page(): Promise<string>;
  readonly screen: Screen;
  readonly everyMs: number;
  /** Each page as it is, whatever the screen is: for programs. */
  readonly raw: boolean;
  readonly signal: AbortSignal;
}

const MIN_MS = 100;

/** The value of `--interval`: a second on a terminal, else ten. @throws WorkerError `usage` */
export function intervalOf(value: unknown, isTTY: boolean): number {
  if (value === undefined) return isTTY ? 1_000 : 10_000;
  const reading = duration({ minMs: MIN_MS }).read(value, { base: '', home: '' });
  if ('value' in reading) return reading.value;
  throw new WorkerError('usage', `--interval has the value "${value}"; write ${reading.write}.`);
}

/** Until the signal aborts, or nobody reads any more. The last page stays on the terminal. */
export async function watch({ page, screen, everyMs, raw, signal }: WatchWish): Promise<void> {
  const drawn = screen.isTTY === true && !raw;
  let last = '';
  const over = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  if (drawn) screen.write(BEGIN);
  try {
    for (let round = 0; !signal.aborted && !screen.destroyed; round += 1) {
      const asked = page();
      asked.catch(() => {});
      const next = await Promise.race([asked, over]);
      if (next === undefined) break;
      last = next;
      if (drawn) screen.write(frame(last, screen));
      else screen.write(`${round > 0 && !raw ? '\n' : ''}${last}\n`);
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (drawn) screen.write(`${END}${last === '' ? '' : `${last}\n`}`);
  }
}

/** A screen of its own, without a cursor, so that what stood on the terminal comes back at the end. */
const BEGIN = '\u001b[?1049h\u001b[?25l';
const END = '\u001b[?25h\u001b[?1049l';

/** From the top left; each line is cut to the width and clears what stood behind it, and all below is cleared. */
function frame(text: string, { rows = 24, columns = 80 }: Screen): string {
  const lines = text.split('\n').slice(0, rows - 1);
  const cut = lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
  return `\u001b[H${cut.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`;
}
