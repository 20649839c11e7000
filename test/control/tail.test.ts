import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followFile, tailFile } from '../../src/control/tail.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tail-'));
  path = join(folder, 'agent-loop.log');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the last lines', () => {
  it('are read from the end', async () => {
    await writeFile(path, 'one\ntwo\nthree\n');
    expect((await tailFile(path, 2))?.lines).toEqual(['two', 'three']);
    expect((await tailFile(path, 9))?.lines).toEqual(['one', 'two', 'three']);
    expect((await tailFile(path, 0))?.lines).toEqual([]);
    await appendFile(path, 'unended');
    expect((await tailFile(path, 1))?.lines).toEqual(['unended']);
  });

  it('go on into the file before a rotation', async () => {
    await writeFile(`${path}.1`, 'one\ntwo\n');
    await writeFile(path, 'three\n');
    expect((await tailFile(path, 2))?.lines).toEqual(['two', 'three']);
    expect((await tailFile(path, 1))?.lines).toEqual(['three']);
  });

  it('are none where there is no file', async () => {
    expect(await tailFile(path, 5)).toBeUndefined();
  });
});

describe('following', () => {
  /** Follows until `lines` are heard. */
  async function following(
    work: (heard: (line: string) => Promise<void>) => Promise<void>,
  ): Promise<string[]> {
    const lines: string[] = [];
    const stop = new AbortController();
    const from = (await tailFile(path, 0))?.end;
    const waiting = new Map<string, () => void>();
    const over = followFile(
      path,
      from,
      (line) => {
        lines.push(line);
        waiting.get(line)?.();
      },
      stop.signal,
      1,
    );
    const heard = (line: string): Promise<void> =>
      new Promise((resolve) => (lines.includes(line) ? resolve() : waiting.set(line, resolve)));
    try {
      await work(heard);
    } finally {
      stop.abort();
      await over;
    }
    return lines;
  }

  it('tells only what is added, line by line', async () => {
    await writeFile(path, 'old\n');
    const lines = await following(async (heard) => {
      await appendFile(path, 'one\ntw');
      await heard('one');
      await appendFile(path, 'o\n');
      await heard('two');
    });
    expect(lines).toEqual(['one', 'two']);
  });

  it('goes on over a rotation, and misses nothing that was added before it', async () => {
    await writeFile(path, 'old\n');
    const lines = await following(async (heard) => {
      await appendFile(path, 'one\n');
      await heard('one');
      await appendFile(path, 'two\n');
      await rename(path, `${path}.1`);
      await writeFile(path, 'three\n');
      await heard('three');
    });
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('waits for a file that is not there yet', async () => {
    const lines = await following(async (heard) => {
      await writeFile(path, 'first\n');
      await heard('first');
    });
    expect(lines).toEqual(['first']);
  });

  it('begins anew when the file was emptied', async () => {
    await writeFile(path, 'a long line of old\n');
    const lines = await following(async (heard) => {
      await truncate(path);
      await appendFile(path, 'new\n');
      await heard('new');
    });
    expect(lines).toEqual(['new']);
  });
});
