// The command line as a newcomer meets it: the rehearsal, talking to it, looking at it, ending it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processesWith, WorkerProcess } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

let root: string;
const started: WorkerProcess[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'command-line-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.kill();
});
afterAll(() => rm(root, { recursive: true, force: true }));

const env = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: join(root, 'home'),
  XDG_STATE_HOME: join(root, 'state'),
  TMPDIR: root,
});

function start(...args: string[]): WorkerProcess {
  const one = new WorkerProcess(args, root, env());
  started.push(one);
  return one;
}

async function command(
  ...args: string[]
): Promise<{ stdout: string; stderr: string; exitCode: number | undefined }> {
  const options = { cwd: root, env: env(), extendEnv: false, reject: false } as const;
  const { stdout, stderr, exitCode } = await execa(process.execPath, [MAIN, ...args], options);
  return { stdout, stderr, exitCode };
}

/** Claude Code processes of our rehearsals: their state lies in a temporary folder of that name. */
const rehearsed = (): Promise<number[]> => processesWith(join(root, 'inbox-rehearsal-'));

describe('with nothing configured', () => {
  it('the program rehearses, answers, takes more from other commands, and ends on Ctrl-C with nothing left', async () => {
    await mkdir(join(root, 'home'), { recursive: true });
    const rehearsal = start();
    await rehearsal.says(/@agent → @you: Hello from the scripted model/);
    expect(await rehearsed()).not.toEqual([]);
    await rehearsal.says(/That took 1 model call/);

    const answer = await command('send', '--wait', 'What did I say first?');
    expect(answer).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Are you awake?') });
    const status = JSON.parse((await command('status', '--json')).stdout);
    expect(status).toMatchObject({
      kind: 'rehearsal',
      messages: { answered: 2, dead: 0 },
      today: { modelCalls: 2 },
    });
    expect((await command('status')).stdout).toMatch(/idle/i);
    expect((await command('wake')).stdout).toMatch(/^Woken/);

    expect((await command('send', 'no hurry')).stdout).toMatch(/^Sent to @agent/);
    await rehearsal.says(/@agent → @you: .*no hurry/);
    expect((await command('read', '--json')).stdout).toContain('no hurry');
    expect((await command('read')).stdout).toBe('Nothing new.');

    rehearsal.signal('SIGINT');
    expect(await rehearsal.ended()).toMatchObject({ exitCode: 0 });
    expect(await rehearsed()).toEqual([]);
    expect(await command('status')).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('try: ') });
  });

  it('stop ends it as well, also in the middle of its start', async () => {
    const one = start('rehearse');
    await one.says(/^Rehearsal\. Real:/);
    one.signal('SIGINT');
    expect(await one.ended()).toMatchObject({ exitCode: 0 });
    const two = start('rehearse');
    await two.says(/That took/);
    expect((await command('stop')).stdout).toMatch(/^Stopping \(drain\)/);
    expect(await two.ended()).toMatchObject({ exitCode: 0 });
  });

  it('`run` says what is missing', async () => {
    const result = await command('run');
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: There is no inbox.*\ntry: Write one with .* init, /);
  });
});

describe('what is typed wrong', () => {
  it.each([
    [['frobnicate'], /error: /],
    [['run', '--no-such-flag'], /error: /],
    [['send', '--wait', '5m'], /error: There is no message.*\ntry: /],
    [['run', '--min-sleep', 'soon'], /error: .*--min-sleep.*soon.*\ntry: /],
    [['run', '--max-iterations', '0'], /unlimited/],
    [['send', 'hello'], /error: .*\ntry: /],
  ])('%j is one sentence and what to try', async (args, pattern) => {
    const { exitCode, stderr } = await command(...args);
    expect(exitCode).toBe(args[0] === 'send' && args.length === 2 ? 8 : 2);
    expect(stderr).toMatch(pattern);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('an unset variable in .mcp.json stops the start, naming it', async () => {
    const folder = join(root, 'unset');
    await mkdir(folder);
    const headers = { Authorization: 'Bearer ${NOBODY_SET_THIS}' };
    const agentdm = { type: 'http', url: 'http://127.0.0.1:9/mcp', headers };
    await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { agentdm } }));
    const { exitCode, stderr } = await command('run', '--dir', folder);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('NOBODY_SET_THIS'),
    });
  });

  it('--help lists the commands and the exit codes', async () => {
    const { stdout, exitCode } = await command('--help');
    expect(exitCode).toBe(0);
    for (const word of ['run', 'rehearse', 'inbox', 'send', 'read', 'wake', 'stop', 'status', 'Exit codes']) {
      expect(stdout).toContain(word);
    }
  });
});
