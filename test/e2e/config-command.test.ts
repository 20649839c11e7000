// `config` as a user calls it: what is in force, where it came from, and no secret told.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

async function folder(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'config-command-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'config'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return root;
}

function config(cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return execa(process.execPath, [MAIN, 'config', ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    extendEnv: false,
    reject: false,
  });
}

it('shows every setting by group, marks what is not default, and hides secrets', async () => {
  const root = await folder({
    '.env': 'MIN_SLEEP=45s\nWEBHOOK_SECRET=whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0\n',
    'config/worker.json': JSON.stringify({ preset: 'read' }),
  });
  const { stdout, stderr, exitCode } = await config(root, ['--session', 'fresh'], { MODEL: 'haiku' });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\* min_sleep +45s {2}\(MIN_SLEEP in \.env\)$/m);
  expect(stdout).toMatch(/^\* preset +read {2}\(settings file\) {2}\[restart\]$/m);
  expect(stdout).toMatch(/^\* session +fresh {2}\(--session\) {2}\[restart\]$/m);
  expect(stdout).toMatch(/^\* model +haiku {2}\(MODEL in the environment\)$/m);
  expect(stdout).toMatch(/^\* webhook_secret +…hidden /m);
  expect(stdout).not.toContain('whsec_');
  expect(stdout).toMatch(/^ {2}memory_chars +8000 characters$/m);
  expect(stdout).toMatch(/^ {2}inbox_id +– {2}\[restart\]$/m);
  const titles = ['The inbox', 'Claude and its turns', 'The worker', 'Budgets and caps', 'Wakes'];
  expect(stdout.split('\n').filter((line) => /^\w.*[^.]$/.test(line))).toEqual([
    ...titles,
    ...['Being told', 'State and logs', 'The private listener'],
  ]);
  expect(stdout).toMatch(/^\* 5 of \d+ set by you\./m);
  expect(stdout).toMatch(/^\[restart\] A new value takes a restart; all others are taken by: .* reload$/m);
});

it('gives the same as JSON, and takes another file', async () => {
  const root = await folder({ 'other.json': JSON.stringify({ drain: '90s' }) });
  const { stdout, exitCode } = await config(root, ['--json', '--config', 'other.json']);
  expect(exitCode).toBe(0);
  const { dir, settings } = JSON.parse(stdout);
  expect(dir).toBe(root);
  expect(settings).toContainEqual({
    key: 'drain',
    group: 'worker',
    value: '90s',
    origin: { from: 'file', name: 'drain' },
    unit: 's',
    caption: 'how long a stop waits for the turn that runs',
    changed: true,
    reloadable: true,
  });
  expect(settings).toContainEqual(
    expect.objectContaining({
      key: 'log_format',
      reloadable: false,
      restart: 'a log keeps one form',
    }),
  );
  expect(settings.filter((row: { changed: boolean }) => row.changed)).toHaveLength(1);
});

it('says what is wrong with a setting and exits 2; warns of a variable that is none', async () => {
  const root = await folder({ 'config/worker.json': '{ "min_slep": "3s" }' });
  const wrong = await config(root);
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('min_sleep') });
  const warned = await config(await folder({}), [], { INBOX_WORKER_ZEBRA: '1' });
  expect(warned).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^warning: .*ZEBRA/) });
});
