import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropStale, fileFlags } from '../../src/control/flags.js';

let folder: string;
let stale: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flags-'));
  stale = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const flags = (startedAt = Date.now(), at = folder) =>
  fileFlags({ folder: at, startedAt, onStale: (flag) => stale.push(flag) });
const touch = (name: string) => writeFile(join(folder, name), '');

describe('fileFlags', () => {
  it('takes an event of this run once, and its file away', async () => {
    const run = flags();
    expect(await run.take('did-work')).toBe(false);
    await touch('did-work');
    expect(await run.take('clear-session')).toBe(false);
    expect(await run.take('did-work')).toBe(true);
    expect(await run.take('did-work')).toBe(false);
    expect(await readdir(folder)).toEqual([]);
    expect(stale).toEqual([]);
  });

  it('gives one event to one taker', async () => {
    const run = flags();
    await touch('wake');
    const taken = await Promise.all([run.take('wake'), run.take('wake'), run.take('wake')]);
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('tells events of an earlier run once, and clears them away', async () => {
    await touch('stop');
    await utimes(join(folder, 'stop'), 1000, 1000);
    const run = flags();
    expect(await run.take('stop')).toBe(false);
    expect(await run.take('stop')).toBe(false);
    expect(stale).toEqual(['stop']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('drops at the start what is old, each told once, and keeps what is of this run', async () => {
    for (const name of ['did-work', 'clear-session', 'wake', 'stop', 'pause']) await touch(name);
    const startedAt = Date.now();
    for (const name of ['did-work', 'stop', 'pause']) await utimes(join(folder, name), 1000, 1000);
    const run = flags(startedAt);
    await dropStale(run, { folder, startedAt });
    expect(stale).toEqual(['did-work', 'stop']);
    expect((await readdir(folder)).sort()).toEqual(['clear-session', 'pause', 'wake']);
    expect(await run.take('wake')).toBe(true);
    await dropStale(run, { folder: join(folder, 'missing'), startedAt });
  });

  it('takes an old flag that was touched again in this run', async () => {
    await touch('did-work');
    await utimes(join(folder, 'did-work'), 1000, 1000);
    const run = flags();
    await touch('did-work');
    expect(await run.take('did-work')).toBe(true);
  });

  it('reads pause as a state, of whatever age', async () => {
    await touch('pause');
    await utimes(join(folder, 'pause'), 1000, 1000);
    const run = flags();
    expect(await run.paused()).toBe(true);
    expect(await run.paused()).toBe(true);
    await rm(join(folder, 'pause'));
    expect(await run.paused()).toBe(false);
    expect(stale).toEqual([]);
  });

  it('does without the folder, and takes neither a folder for a flag nor the target of a link', async () => {
    const nowhere = flags(0, join(folder, 'missing'));
    expect(await nowhere.take('wake')).toBe(false);
    expect(await nowhere.paused()).toBe(false);
    await mkdir(join(folder, 'stop'));
    await touch('precious');
    await symlink(join(folder, 'precious'), join(folder, 'wake'));
    const run = flags();
    expect(await run.take('stop')).toBe(false);
    expect(await run.take('wake')).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['precious', 'stop']);
  });
});
