// New settings for a worker that runs: by signal, by command; and a signal that means that the terminal has gone.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { lineFramer } from '../../src/lib/line-framer.js';
import { Feed, type Lab, openLab, processesWith } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

const labs: Lab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

async function lab(settings: Record<string, unknown> = {}): Promise<Lab> {
  const opened = await openLab({ settings });
  labs.push(opened);
  return opened;
}

const fileOf = (lab: Lab): string => join(lab.folder, 'config', 'worker.json');

/** Puts these beside, or in place of, what stands in the settings file. */
async function edit(lab: Lab, settings: Record<string, unknown>): Promise<void> {
  const before = JSON.parse(await readFile(fileOf(lab), 'utf8')) as object;
  await writeFile(fileOf(lab), JSON.stringify({ ...before, ...settings }));
}

const claudePid = async (lab: Lab): Promise<number> =>
  JSON.parse((await lab.command('status', '--json')).stdout).agent.pid;

describe('a worker without a terminal', () => {
  it('takes new settings at SIGHUP: who is answered, by which model, under which prompt', async () => {
    const it = await lab();
    const worker = it.run();
    await worker.says(/is ready/);
    it.say('@alice', 'first');
    await it.answerTo('@alice');
    const pid = await claudePid(it);

    await edit(it, { deny_senders: ['@mallory'] });
    worker.signal('SIGHUP');
    await worker.says(/Settings reloaded: deny_senders: unset → @mallory\./);
    expect(await claudePid(it)).toBe(pid);
    const denied = it.say('@mallory', 'let me in');
    it.say('@alice', 'second');
    await it.answerTo('@alice', 1);
    const life = JSON.parse((await it.command('show', denied, '--json')).stdout);
    expect(life.message.state).toBe('silent');

    await edit(it, { model: 'claude-haiku-4-5' });
    worker.signal('SIGHUP');
    await worker.says(/Settings reloaded: model: unset → claude-haiku-4-5\./);
    it.say('@alice', 'third');
    await it.answerTo('@alice', 2);
    // Another process, the same session.
    expect(await claudePid(it)).not.toBe(pid);
    const third = it.turnCalls.at(-1);
    expect([third?.model, third?.session]).toEqual(['claude-haiku-4-5', it.turnCalls[0]?.session]);

    await writeFile(join(it.folder, 'me.md'), 'You are the walrus.');
    await edit(it, { system_prompt_file: 'me.md' });
    worker.signal('SIGHUP');
    await worker.says(/Settings reloaded: system_prompt_file: /);
    it.say('@alice', 'fourth');
    await it.answerTo('@alice', 3);
    // Another session, since Claude Code would keep the old prompt for good; what was said is remembered.
    const fourth = it.turnCalls.at(-1);
    expect(fourth?.session).not.toBe(third?.session);
    const body = JSON.stringify(fourth?.body);
    expect(body).toContain('You are the walrus.');
    expect(body).toMatch(/Earlier in this conversation.*first.*second.*third/);
    expect(it.turnCalls).toHaveLength(4);
  });

  it('keeps what it has where a file is faulty, and tells of it', async () => {
    const it = await lab();
    const worker = it.run();
    await worker.says(/is ready/);
    await writeFile(fileOf(it), '{ "min_slep": "3s" }');
    worker.signal('SIGHUP');
    await worker.says(/The settings were not reloaded, those in force stay: .*did you mean "min_sleep"\?/);
    const refused = await it.command('reload');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(/^error: "min_slep" in config\/worker\.json is no setting.*\ntry: /);
    it.say('@alice', 'hello');
    await it.answerTo('@alice');
  });

  it('reloads once it is up when it was told so while it started', async () => {
    const it = await lab();
    const worker = it.run();
    // The first line of `run`: nothing but the files has been read yet.
    await worker.says(/^The inbox is /);
    worker.signal('SIGHUP');
    await worker.says(/Settings reloaded: nothing has changed\./);
    await worker.says(/is ready/);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  });

  it('reloads each of many agents in one process with its own file', async () => {
    const it = await lab();
    const file = join(it.folder, 'config', 'agents', 'scout.json');
    await mkdir(join(it.folder, 'config', 'agents'));
    const settings = JSON.parse(await readFile(fileOf(it), 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...settings, dir: '../..' }));
    const worker = it.run(['--all']);
    await worker.says(/is ready/);
    await writeFile(file, JSON.stringify({ ...settings, dir: '../..', drain: '7s', name: 'other' }));
    worker.signal('SIGHUP');
    await worker.says(/Settings reloaded: drain: 30s → 7s\. Kept until a restart: name\./);
    const again = await it.command('reload', '--agent', 'scout', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ name: 'scout', changed: [], kept: [{ key: 'name' }] });
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  });

  it('answers `reload` with what changed, what was kept, and why', async () => {
    const it = await lab();
    expect(await it.command('reload')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringMatching(/^error: No worker or rehearsal is running\.\ntry: /),
    });
    const worker = it.run();
    await worker.says(/is ready/);
    const nothing = await it.command('reload');
    expect(nothing.stdout).toMatch(/^Reloaded: worker agentdm, pid \d+\.\nNothing has changed\./);
    await edit(it, { budget_day: '$3', webhook_port: 9123 });
    const { stdout, exitCode } = await it.command('reload');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').slice(1)).toEqual([
      '  budget_day    $10 → $3',
      'Kept until a restart:',
      '  webhook_port  8787 (wanted: 9123): what it opens is opened at the start',
    ]);
    const again = JSON.parse((await it.command('reload', '--json')).stdout);
    expect(again).toMatchObject({
      kind: 'worker',
      pid: worker.pid,
      inbox: 'agentdm',
      changed: [],
      kept: [{ key: 'webhook_port', running: '8787', wanted: '9123' }],
      warnings: [],
    });
    const status = JSON.parse((await it.command('status', '--json')).stdout);
    expect(status.budgets).toMatchObject([{ window: 'day', cap: { usd: 3, tokens: 'unlimited' } }]);
  });
});

describe.skipIf(process.platform !== 'linux')('a worker on a terminal', () => {
  it('drains and ends when its terminal closes; its Claude is not hit, and finishes the answer', async () => {
    const it = await lab();
    const lines = new Feed<string>();
    // `script` gives it a terminal of its own, and takes that away when it is killed.
    const terminal = execa(
      'script',
      ['-qec', `'${process.execPath}' '${MAIN}' run --drain 60s`, '/dev/null'],
      {
        cwd: it.folder,
        env: { ...it.env(), SHELL: '/bin/sh' },
        extendEnv: false,
        reject: false,
        buffer: false,
        stdin: 'pipe',
      },
    );
    const framer = lineFramer({ onLine: (line) => lines.add(line) });
    terminal.stdout.on('data', (chunk: Buffer) => framer.push(chunk));
    await lines.first((line) => line.includes('Claude Code is ready'), 'a ready Claude');
    const hold = it.api.hold();
    it.say('@alice', 'hello');
    await hold.reached;
    const status = JSON.parse((await it.command('status', '--json')).stdout);
    terminal.kill('SIGKILL');
    await terminal;
    await expect
      .poll(async () => JSON.parse((await it.command('status', '--json')).stdout).stopping, {
        timeout: 30_000,
      })
      .toBe(true);
    hold.release();
    await it.answerTo('@alice');
    await expect.poll(() => processesWith(it.root), { timeout: 30_000 }).not.toContain(status.pid);
    const lease = JSON.parse((await it.command('lease', '--json')).stdout);
    expect(lease.verdict).toBe('free');
    expect(it.turnCalls).toHaveLength(1);
  });
});
