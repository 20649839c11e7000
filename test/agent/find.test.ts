import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findClaude } from '../../src/agent/index.js';
import { fakeClaude } from './fakes.js';

let root: string;
let cwd: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'find-'));
  cwd = join(root, 'project', 'deep');
  await mkdir(cwd, { recursive: true });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** A program at `path` below the root that says it is Claude Code of FAKE_VERSION. */
async function plant(...path: string[]): Promise<string> {
  const file = join(root, ...path);
  await mkdir(dirname(file), { recursive: true });
  await symlink(fakeClaude('old-version'), file);
  return file;
}

function environment(version: string, ...path: string[]): Record<string, string> {
  // `env node` of the stand-in has to find node.
  const folders = [
    ...path.map((folder) => join(root, folder)),
    dirname(process.execPath),
    '/usr/bin',
    '/bin',
  ];
  return { PATH: folders.join(':'), HOME: join(root, 'home'), FAKE_VERSION: version };
}

describe('finding Claude Code', () => {
  it('takes the setting before anything else', async () => {
    await plant('bin', 'claude');
    const path = await plant('elsewhere', 'my-claude');
    const env = environment('2.1.332 (Claude Code)', 'bin');
    const found = await findClaude({ setting: path, environment: env, cwd });
    expect(found).toEqual({ path, version: '2.1.332', support: 'full', note: undefined });
    expect(await findClaude({ setting: '../../elsewhere/my-claude', environment: env, cwd })).toHaveProperty(
      'path',
      path,
    );
  });

  it('takes PATH before node_modules, and node_modules of the project before our own', async () => {
    const project = await plant('project', 'node_modules', '.bin', 'claude');
    expect(await findClaude({ environment: environment('2.1.332'), cwd })).toHaveProperty('path', project);
    const onPath = await plant('bin', 'claude');
    expect(await findClaude({ environment: environment('2.1.332', 'bin'), cwd })).toHaveProperty(
      'path',
      onPath,
    );
  });

  it('passes over what cannot be run', async () => {
    const broken = join(root, 'bin', 'claude');
    await mkdir(dirname(broken));
    await writeFile(broken, 'not a program');
    await chmod(broken, 0o600);
    const project = await plant('project', 'node_modules', '.bin', 'claude');
    expect(await findClaude({ environment: environment('2.1.332', 'bin'), cwd })).toHaveProperty(
      'path',
      project,
    );
  });

  it('says so when the setting names nothing', async () => {
    const missing = findClaude({ setting: '/nowhere/claude', environment: environment('1'), cwd });
    await expect(missing).rejects.toMatchObject({
      code: 'claude-not-found',
      message: 'There is no program at /nowhere/claude (CLAUDE_PATH).',
    });
    const nameless = findClaude({ setting: 'claude', environment: environment('1'), cwd });
    await expect(nameless).rejects.toMatchObject({ code: 'claude-not-found' });
  });

  it('refuses a version that cannot be kept from its tools', async () => {
    const setting = await plant('bin', 'claude');
    const old = findClaude({ setting, environment: environment('2.0.55 (Claude Code)'), cwd });
    await expect(old).rejects.toMatchObject({
      code: 'claude-too-old',
      message: expect.stringContaining('2.0.55'),
    });
  });

  it('takes an older one with a note, and an unknown one for a new one', async () => {
    const setting = await plant('bin', 'claude');
    expect(await findClaude({ setting, environment: environment('2.1.100'), cwd })).toMatchObject({
      support: 'restarts',
      note: expect.stringContaining('every new conversation starts a new process'),
    });
    expect(await findClaude({ setting, environment: environment('nightly'), cwd })).toMatchObject({
      version: undefined,
      support: 'full',
      note: expect.stringContaining('names no version'),
    });
  });

  it('tells a program that fails, and one that does not answer', async () => {
    const env = { ...environment('1'), FAKE_STDERR: 'broken pipe dream' };
    const failing = findClaude({ setting: fakeClaude('fails-at-start'), environment: env, cwd });
    await expect(failing).rejects.toMatchObject({
      code: 'claude-failed',
      message: expect.stringContaining('broken pipe dream'),
    });
    const hanging = findClaude({ setting: fakeClaude('hangs'), environment: env, cwd, timeoutMs: 300 });
    await expect(hanging).rejects.toMatchObject({
      code: 'claude-failed',
      message: expect.stringContaining('did not answer within 0.3 s'),
    });
  });

  it("finds this package's own for rehearsals", async () => {
    await plant('bin', 'claude');
    const env = environment('2.1.332', 'bin');
    const own = await findClaude({ environment: env, cwd, where: 'own' });
    expect(own.path).toMatch(/node_modules[\\/]\.bin[\\/]claude$/);
    expect(own.path.startsWith(root)).toBe(false);
  });
});
