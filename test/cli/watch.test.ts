// Showing a page again and again, on a terminal and without one.
import { describe, expect, it } from 'vitest';
import { intervalOf, type Screen, watch } from '../../src/cli/watch.js';
import { WorkerError } from '../../src/domain/errors.js';

/** Shows pages `1`, `2`, …, and is over when `rounds` of them have been shown. */
async function shown(screen: Partial<Screen> & { raw?: boolean }, rounds: number, pages?: string[]) {
  const off = new AbortController();
  const written: string[] = [];
  let asked = 0;
  await watch({
    page: async () => {
      asked += 1;
      return pages?.[asked - 1] ?? `page ${asked}`;
    },
    screen: {
      destroyed: false,
      write: (text) => {
        written.push(text);
        if (asked === rounds) off.abort();
      },
      ...screen,
    },
    everyMs: 1,
    raw: screen.raw ?? false,
    signal: off.signal,
  });
  return { written, asked };
}

describe('without a terminal', () => {
  it('is a block for each round, with an empty line between', async () => {
    expect((await shown({}, 2)).written.join('')).toBe('page 1\n\npage 2\n');
  });

  it('is one line a round for programs', async () => {
    expect((await shown({ raw: true, isTTY: true }, 2)).written.join('')).toBe('page 1\npage 2\n');
  });

  it('ends when nobody reads any more', async () => {
    const written: string[] = [];
    const screen = {
      get destroyed() {
        return written.length > 0;
      },
      write: (text: string) => written.push(text),
    };
    await watch({
      page: async () => 'page',
      screen,
      everyMs: 1,
      raw: false,
      signal: new AbortController().signal,
    });
    expect(written).toEqual(['page\n']);
  });
});

describe('on a terminal', () => {
  it('is drawn anew on a screen of its own, and the last page stays behind', async () => {
    const { written } = await shown({ isTTY: true, rows: 10, columns: 40 }, 2);
    expect(written[0]).toBe('\u001b[?1049h\u001b[?25l');
    expect(written.slice(1, -1)).toEqual([
      '\u001b[Hpage 1\u001b[K\u001b[J',
      '\u001b[Hpage 2\u001b[K\u001b[J',
    ]);
    expect(written.at(-1)).toBe('\u001b[?25h\u001b[?1049lpage 2\n');
  });

  it('keeps to its size', async () => {
    const { written } = await shown({ isTTY: true, rows: 3, columns: 6 }, 1, ['abcdefgh\nsecond\nthird']);
    expect(written[1]).toBe('\u001b[Habcde…\u001b[K\r\nsecond\u001b[K\u001b[J');
  });

  it('gives the terminal back when a page fails', async () => {
    const written: string[] = [];
    const failing = watch({
      page: () => Promise.reject(new Error('no')),
      screen: { isTTY: true, destroyed: false, write: (text) => written.push(text) },
      everyMs: 1,
      raw: false,
      signal: new AbortController().signal,
    });
    await expect(failing).rejects.toThrow('no');
    expect(written.at(-1)).toBe('\u001b[?25h\u001b[?1049l');
  });

  it('does not wait for a page that does not come', async () => {
    const off = new AbortController();
    const watching = watch({
      page: () => {
        queueMicrotask(() => off.abort());
        return new Promise(() => {});
      },
      screen: { isTTY: true, destroyed: false, write: () => {} },
      everyMs: 1,
      raw: false,
      signal: off.signal,
    });
    await watching;
  });
});

describe('--interval', () => {
  it('is a second on a terminal, else ten, or what was said', () => {
    expect([intervalOf(undefined, true), intervalOf(undefined, false)]).toEqual([1_000, 10_000]);
    expect([intervalOf('500ms', true), intervalOf('2', false)]).toEqual([500, 2_000]);
    for (const value of ['soon', '0', '10ms', '-1', true]) {
      expect(() => intervalOf(value, true)).toThrow(WorkerError);
    }
  });
});
