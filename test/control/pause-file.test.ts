import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileFlags } from '../../src/control/flags.js';
import { setPaused } from '../../src/control/pause-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pause-'));
});
afterEach(() => rm(folder, { recursive: true }));

const flagsOf = (path: string) => fileFlags({ folder: path, startedAt: 0, onStale: () => {} });

it('pauses and resumes what looks at the flag, and says whether that changed anything', async () => {
  const path = join(folder, '.orchestrator');
  const flags = flagsOf(path);
  expect(await setPaused(path, false, 0)).toBe(false);
  expect(await setPaused(path, true, 0)).toBe(true);
  expect(await flags.paused()).toBe(true);
  expect(await setPaused(path, true, 9_999)).toBe(false);
  expect(await readFile(join(path, 'pause'), 'utf8')).toBe('paused 1970-01-01T00:00:00.000Z by command\n');
  expect(await setPaused(path, false, 0)).toBe(true);
  expect(await flags.paused()).toBe(false);
  expect(await setPaused(path, false, 0)).toBe(false);
});

it('takes away a pause that somebody made by hand', async () => {
  await writeFile(join(folder, 'pause'), '');
  expect(await setPaused(folder, false, 0)).toBe(true);
  await expect(access(join(folder, 'pause'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('says so where the folder is none', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(setPaused(join(folder, 'file'), true, 0)).rejects.toMatchObject({
    code: 'file-unreadable',
    message: expect.stringContaining(join(folder, 'file', 'pause')),
  });
});
