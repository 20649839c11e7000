import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileFlags } from '../../src/control/flags.js';
import { type WatchFlagsOptions, watchFlags } from '../../src/control/watch-flags.js';
import { deferred } from '../../src/lib/deferred.js';
import type { WakeSource } from '../../src/ports/wake-source.js';

const NEVER_MS = 2 ** 30;
let root: string;
let folder: string;
let source: WakeSource | undefined;
let stale: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'watch-'));
  folder = join(root, '.orchestrator');
  stale = [];
});
afterEach(async () => {
  await source?.stop();
  source = undefined;
  await rm(root, { recursive: true, force: true });
});

/** Wakes and stops in the order they come; `next` resolves at the next one. */
async function watched(options: Partial<WatchFlagsOptions> = {}) {
  const heard: string[] = [];
  let waiting = deferred<string>();
  const hear = (what: string) => {
    heard.push(what);
    waiting.resolve(what);
    waiting = deferred<string>();
  };
  const flags = fileFlags({ folder, startedAt: Date.now(), onStale: (flag) => stale.push(flag) });
  source = watchFlags({ folder, flags, onStop: () => hear('stop'), pollMs: NEVER_MS, ...options });
  await source.start((kind) => hear(kind));
  return { source, heard, next: () => waiting.promise };
}
const touch = (name: string) => writeFile(join(folder, name), '');

describe('watchFlags', () => {
  it('makes the folder, and hears wake, stop, and pause coming and going', async () => {
    const { heard, next } = await watched();
    for (const name of ['wake', 'stop', 'pause']) {
      const heardIt = next();
      await touch(name);
      await heardIt;
    }
    const resumed = next();
    await rm(join(folder, 'pause'));
    await resumed;
    expect(heard).toEqual(['file', 'stop', 'file', 'file']);
    expect(await readdir(folder)).toEqual([]);
    expect((await stat(folder)).mode & 0o700).toBe(0o700);
  });

  it('stays stopped when it is stopped while it starts', async () => {
    const stops: string[] = [];
    const flags = fileFlags({ folder, startedAt: Date.now(), onStale: (flag) => stale.push(flag) });
    const one = watchFlags({ folder, flags, pollMs: 5, onStop: () => stops.push('stop') });
    const starting = one.start(() => {});
    await one.stop();
    await starting;
    // A second one sees the file that the first one must not take away.
    const { next } = await watched({ pollMs: 5 });
    const heard = next();
    await touch('stop');
    expect(await heard).toBe('stop');
    expect(stops).toEqual([]);
  });

  it('polls where the system tells nothing', async () => {
    const { source, next } = await watched({ pollMs: 5 });
    // A folder made anew is another one to the system.
    await rm(folder, { recursive: true });
    await mkdir(folder);
    const heard = next();
    await touch('wake');
    expect(await heard).toBe('file');
    expect(source.connected()).toBe(false);
  });

  it('says that it polls when the folder cannot be made or watched', async () => {
    await writeFile(folder, 'a file in the way');
    const troubles: string[] = [];
    await watched({ onTrouble: (text) => troubles.push(text) });
    // A file can be watched too, so the way must really be barred.
    await source?.stop();
    folder = join(folder, 'below');
    await watched({ onTrouble: (text) => troubles.push(text) });
    expect(troubles).toEqual([expect.stringMatching(/^control files are polled/)]);
  });

  it('drops a stop file of an earlier run at its start, and takes a pause for no news', async () => {
    const first = await watched();
    await first.source.stop();
    await touch('pause');
    await touch('stop');
    await utimes(join(folder, 'stop'), 1000, 1000);
    const { heard } = await watched();
    expect(heard).toEqual([]);
    expect(stale).toEqual(['stop']);
    expect(await readdir(folder)).toEqual(['pause']);
  });

  it('is silent once stopped, and may be stopped twice', async () => {
    const { source, heard } = await watched({ pollMs: 1 });
    await source.stop();
    await touch('wake');
    await source.stop();
    expect(heard).toEqual([]);
  });
});
