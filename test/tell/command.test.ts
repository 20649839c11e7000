// Real commands: what they are given, how they end, and what becomes of those that do not.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../src/lib/process-identity.js';
import { checkTarget } from '../../src/tell/check.js';
import { type CommandOptions, runCommand } from '../../src/tell/command.js';
import { commandEnvironment } from '../../src/tell/environment.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tell-'));
  const made = folder;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
});

const NEVER = new AbortController().signal;
const PATH = process.env.PATH ?? '';
const options = (more: Partial<CommandOptions> = {}): CommandOptions => ({
  cwd: folder,
  environment: { PATH, FACT: 'a fact' },
  input: '{"type":"hold.began"}\n',
  limitMs: 20_000,
  signal: NEVER,
  ...more,
});
const shell = (line: string) => ({ kind: 'shell', line }) as const;
const command = (...words: string[]) => ({ kind: 'command', words }) as const;
const read = (name: string) => readFile(join(folder, name), 'utf8');

describe.skipIf(process.platform === 'win32')('a command', () => {
  it('gets the news on its standard input and the facts in its environment, in the agent folder', async () => {
    const outcome = await runCommand(shell('cat > in; env > env; echo "all well" | tr a-z A-Z'), options());
    expect(outcome).toEqual({ kind: 'told', how: expect.stringMatching(/^by a command, in .+: ALL WELL$/) });
    expect(await read('in')).toBe('{"type":"hold.began"}\n');
    const names = (await read('env')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toContain('FACT');
    // What the shell sets by itself is no leak of ours.
    const own = ['FACT', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', ''];
    expect(names.filter((name) => !own.includes(name ?? ''))).toEqual([]);
  });

  it('as a list is run without a shell', async () => {
    const script = 'require("node:fs").writeFileSync("args", process.argv.slice(1).join("|"))';
    const outcome = await runCommand(
      command(process.execPath, '-e', script, '$HOME', '; touch hurt'),
      options(),
    );
    expect(outcome.kind).toBe('told');
    expect(await read('args')).toBe('$HOME|; touch hurt');
    await expect(read('hurt')).rejects.toThrow();
  });

  it('that fails says how, and what it printed, in one line', async () => {
    expect(await runCommand(shell('echo one; echo two >&2; exit 3'), options())).toEqual({
      kind: 'failed',
      why: 'it ended with exit code 3: one two',
    });
    expect((await runCommand(shell('yes | head -c 1000000'), options())).kind).toBe('told');
    const missing = await runCommand(command('/nowhere/at/all'), options());
    expect(missing).toMatchObject({ kind: 'failed', why: expect.stringContaining('ENOENT') });
  });

  it('need not read what it is given', async () => {
    const outcome = await runCommand(command('true'), options({ input: 'x'.repeat(1_000_000) }));
    expect(outcome.kind).toBe('told');
  });

  it('that does not end is ended by the deadline, and what it started with it', async () => {
    const line = "trap '' TERM; sleep 300 & echo $! > pid; wait; wait";
    const outcome = await runCommand(shell(line), options({ limitMs: 500 }));
    expect(outcome).toEqual({ kind: 'failed', why: 'it had not ended after 500 ms' });
    const pid = Number(await read('pid'));
    await expect.poll(() => processStart(pid), { timeout: 10_000 }).toBeUndefined();
  });

  it('is ended with the worker', async () => {
    const end = new AbortController();
    const outcome = runCommand(shell('echo > begun; exec sleep 300'), options({ signal: end.signal }));
    await expect.poll(() => read('begun').catch(() => undefined), { timeout: 10_000 }).toBeDefined();
    end.abort();
    expect(await outcome).toEqual({ kind: 'failed', why: 'the worker ended' });
  });

  it('may leave something in the background, which is not waited for', async () => {
    const outcome = await runCommand(shell('sleep 300 & echo $! > pid'), options());
    expect(outcome.kind).toBe('told');
    const pid = Number(await read('pid'));
    expect(processStart(pid)).toBeDefined();
    process.kill(pid, 'SIGKILL');
  });
});

it('gives a command what it needs, and no key', () => {
  const env = {
    PATH: '/bin',
    LC_ALL: 'C',
    AGENTDM_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    TELL_SECRET: 's',
    HOME: undefined,
  };
  expect(commandEnvironment(env)).toEqual({ PATH: '/bin', LC_ALL: 'C' });
});

describe.skipIf(process.platform === 'win32')('a target is looked at without being told', () => {
  it.each([
    [command('node', 'x.mjs'), true, /^runs \/.*node$/],
    [command('./tell.sh'), false, /no program \.\/tell\.sh/],
    [command('no-such-program-here'), false, /no program no-such/],
    [shell('touch hurt && logger "x"'), true, /begins with touch$/],
    [shell('if true; then'), false, /cannot read the line: /],
    [shell('no-such-program-here --now'), false, /does not know no-such/],
    [shell('"$HOME/tell" now'), true, /^runs a line of the shell$/],
    [
      { kind: 'webhook', url: 'https://example.org/secret/path', secrets: [] } as const,
      true,
      /to example\.org \(none/,
    ],
  ])('%j', async (target, ok, text) => {
    const checked = await checkTarget(target, { cwd: folder, environment: { PATH } });
    expect(checked).toEqual({ ok, text: expect.stringMatching(text) });
    await expect(read('hurt')).rejects.toThrow();
  });

  it('counts a program of the folder only when it can be run', async () => {
    await writeFile(join(folder, 'tell.sh'), '#!/bin/sh\n', { mode: 0o600 });
    const look = () => checkTarget(command('./tell.sh'), { cwd: folder, environment: { PATH } });
    // Root may read everything, but runs only what somebody may run.
    expect((await look()).ok).toBe(false);
    await rm(join(folder, 'tell.sh'));
    await writeFile(join(folder, 'tell.sh'), '#!/bin/sh\n', { mode: 0o700 });
    expect((await look()).ok).toBe(true);
  });
});
