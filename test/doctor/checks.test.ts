// The checks of the doctor that need no worker: machine, clock, hooks.
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { stopHooks } from '../../src/doctor/hooks.js';
import { skewFinding } from '../../src/doctor/inbox.js';
import { freeSpace, nodeVersion, spaceFinding, writableFolder } from '../../src/doctor/machine.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'doctor-'));
  const folder = root;
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

it.each([
  ['20.18.3', 'fail'],
  ['18.20.0', 'fail'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
  ['24.1.0', 'ok'],
])('judges Node %s: %s', (version, state) => {
  const finding = nodeVersion(version);
  expect(finding.state).toBe(state);
  if (state === 'fail') expect(finding).toMatchObject({ fix: 'Install Node 20.19 or newer.', exitCode: 2 });
});

describe('a folder that we write to', () => {
  it('is well when it is there, or can be made; nothing is left in it', async () => {
    expect(await writableFolder('state folder', root)).toEqual({
      state: 'ok',
      text: `The state folder ${root} can be written.`,
    });
    const deep = join(root, 'a', 'b');
    expect((await writableFolder('state folder', deep)).text).toContain('can be made');
    expect(await readdir(root)).toEqual([]);
    expect((await freeSpace(deep)).text).toMatch(/^\d+ (MB|GB) are free/);
  });

  it('fails where a file stands in the way', async () => {
    await writeFile(join(root, 'file'), '');
    const finding = await writableFolder('state folder', join(root, 'file', 'state'));
    expect(finding).toMatchObject({ state: 'fail', text: expect.stringContaining('is no folder') });
  });

  it.skipIf(process.platform === 'win32')('warns where others may read what is ours', async () => {
    const file = join(root, 'worker.db');
    await writeFile(file, '');
    await chmod(file, 0o644);
    const finding = await writableFolder('state folder', root, [join(root, 'absent'), file]);
    expect(finding).toMatchObject({ state: 'warn', fix: expect.stringContaining(`chmod go= ${file}`) });
    await chmod(file, 0o600);
    expect((await writableFolder('state folder', root, [file])).state).toBe('ok');
  });
});

it.each([
  [20, 'fail', '20 MB'],
  [200, 'warn', '200 MB'],
  [20 * 1024, 'ok', '20 GB'],
])('judges a disk with %d MB free: %s', (megabytes, state, text) => {
  const finding = spaceFinding(megabytes * 1024 * 1024);
  expect(finding).toMatchObject({ state, text: expect.stringContaining(text) });
  if (state !== 'ok') expect(finding).toMatchObject({ fix: expect.stringContaining('--state-dir') });
});

it('warns of a clock that is a minute off, and says which way', () => {
  expect(skewFinding(-59_000).state).toBe('ok');
  expect(skewFinding(120_000)).toMatchObject({
    state: 'warn',
    text: expect.stringMatching(/2 m behind that/),
    fix: expect.stringContaining('NTP'),
  });
  expect(skewFinding(-120_000)).toMatchObject({ text: expect.stringMatching(/2 m ahead of that/) });
});

describe('Stop hooks', () => {
  const hooks = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } });

  it.each(['settings.json', 'settings.local.json'])('are found in %s of the folder', async (name) => {
    await mkdir(join(root, '.claude'));
    await writeFile(join(root, '.claude', name), hooks);
    const finding = await stopHooks({ dir: root, preset: 'everything' }, { HOME: join(root, 'home') });
    expect(finding).toMatchObject({ state: 'warn', text: expect.stringContaining(name) });
    const guarded = await stopHooks({ dir: root, preset: 'work' }, { HOME: join(root, 'home') });
    expect(guarded).toMatchObject({ state: 'ok', text: expect.stringContaining('turns hooks off') });
  });

  it("are found in the user's own settings, wherever they lie; other hooks and broken files do not count", async () => {
    const look = (env: NodeJS.ProcessEnv) =>
      stopHooks({ dir: join(root, 'agent'), preset: 'everything' }, env);
    await mkdir(join(root, '.claude'));
    const own = join(root, '.claude', 'settings.json');
    await writeFile(own, hooks);
    expect((await look({ HOME: root })).state).toBe('warn');
    expect((await look({ HOME: join(root, 'home'), CLAUDE_CONFIG_DIR: join(root, '.claude') })).state).toBe(
      'warn',
    );
    await writeFile(own, JSON.stringify({ hooks: { Stop: [], PreToolUse: [{}] } }));
    expect((await look({ HOME: root })).state).toBe('ok');
    await writeFile(own, '{ broken');
    expect((await look({ HOME: root })).state).toBe('ok');
  });
});
