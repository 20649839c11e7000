// Steering by hand: dead messages, unsure sends, pause, logs; on a worker that runs, and on one that does not.
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/app/system.js';
import { processHome, processStart } from '../../src/lib/process-identity.js';
import { openStore } from '../../src/mailbox/index.js';
import { type Lab, openLab, WorkerProcess } from '../support/agent-lab.js';
import { type ForgetfulProxy, startForgetfulProxy } from '../support/forgetful-proxy.js';

const labs: Lab[] = [];
async function lab(
  settings: Record<string, unknown> = {},
  more: Parameters<typeof openLab>[0] = {},
): Promise<Lab> {
  const opened = await openLab({ settings: { attempts: 1, dead_notice: false, ...settings }, ...more });
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** The parsed `--json` answer of a command that must succeed. */
async function json<T = Record<string, unknown>>(it: Lab, ...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await it.command(...args, '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: expect.any(String), exitCode: 0 });
  return JSON.parse(stdout) as T;
}

/** The same command, from another folder. */
async function commandIn(cwd: string, it: Lab, ...args: string[]): Promise<Answer> {
  const main = resolve(import.meta.dirname, '../../dist/main.js');
  const options = { cwd, env: it.env(), extendEnv: false, reject: false } as const;
  const { stdout, stderr, exitCode } = await execa(process.execPath, [main, ...args], options);
  return { stdout, stderr, exitCode };
}

interface Dead {
  readonly running: boolean;
  readonly messages: readonly { id: string; lastError: string; attempts: number }[];
  readonly sends: readonly { id: string; to: string; replyToId: string }[];
}

async function stopped(it: Lab, worker = it.workers.at(-1)): Promise<void> {
  worker?.signal('SIGTERM');
  expect(await worker?.ended()).toMatchObject({ exitCode: 0 });
}

/** A message of @alice that the one attempt at it has killed; the worker runs on. */
async function killedMessage(it: Lab): Promise<string> {
  // Claude Code tries some of these again by itself.
  it.api.faults.enqueue({ fault: '400', times: 20 });
  const worker = it.run();
  const id = it.say('@alice', 'a very secret walrus');
  await worker.log.first((line) => line.verdict === 'dead', 'the end of the message');
  it.api.faults.clear();
  return id;
}

describe('a dead message', () => {
  it('on a running worker is listed, tells its life, and is answered after `retry`', async () => {
    const it = await lab();
    const id = await killedMessage(it);
    const status = await json<{ messages: { dead: number } }>(it, 'status');
    expect(status.messages.dead).toBe(1);

    const dead = await json<Dead>(it, 'dead');
    expect(dead).toMatchObject({ running: true, messages: [{ id, attempts: 1 }], sends: [] });
    const listed = await it.command('dead');
    expect(listed.stdout).toMatch(/^1 message given up:\n {2}\S+ {2}from @alice, .* after 1 attempt: /);
    expect(listed.stdout).toContain(`${id}`);

    const life = await it.command('show', id);
    expect(life.exitCode).toBe(0);
    expect(life.stdout).toMatch(
      /state +dead\n[\s\S]*came in, 20 characters\n.*claimed\n.*turn began[\s\S]*given up: .*\n.*turn recorded: failed/,
    );
    expect(life.stdout).not.toContain('walrus');
    expect((await it.command('show', id, '--bodies')).stdout).toContain('| a very secret walrus');
    expect((await it.command('show', id, '--json')).stdout).not.toContain('walrus');

    const retried = await it.command('retry', id);
    expect(retried).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('tried again now') });
    expect((await it.answerTo('@alice')).text).toContain('walrus');

    await it.workers[0]?.log.first((line) => line.event === 'sent', 'the sending');
    const after = await json<{ message: { state: string }; sends: { state: string }[]; turns: object[] }>(
      it,
      'show',
      id,
    );
    expect(after.message.state).toBe('answered');
    expect(after.sends).toMatchObject([{ kind: 'reply', state: 'sent', upstreamId: expect.any(String) }]);
    expect(after.turns).toHaveLength(2);
    const told = (await it.command('show', id)).stdout;
    expect(told).toMatch(/to be tried again: reopened by hand\n.*claimed again\n/);
    expect(told).toMatch(/reply to @alice queued as out-1, \d+ characters\n/);
    expect(told).toMatch(/answered\n[\s\S]*turn recorded: completed/);
    expect(told).toMatch(/answered\n[\s\S]*out-1 sent, there it is \S+/);

    const ledger = await json<{ turns: { verdict: string }[] }>(it, 'ledger');
    expect(ledger.turns.map((turn) => turn.verdict)).toEqual(['answered', 'dead']);
    expect((await it.command('ledger', '--limit', '1')).stdout).toMatch(
      /@alice {2}\S+ {2}answered .*\n1 turn, /,
    );
    expect((await json<Dead>(it, 'dead')).messages).toEqual([]);

    for (const args of [
      ['retry', id],
      ['drop', id],
      ['retry', 'nobody'],
      ['drop', 'nobody'],
      ['show', 'nobody'],
      ['retry', 'out-1'],
      ['drop', 'out-99'],
      ['ledger', '--limit', 'x'],
    ]) {
      const refused = await it.command(...args);
      expect([args, refused.exitCode]).toEqual([args, 2]);
      expect(refused.stderr).toMatch(/^error: .+\ntry: .+$/);
      expect(refused.stdout).toBe('');
    }
  });

  it('on a stopped worker is listed, and answered by the next run after `retry`', async () => {
    const it = await lab();
    const id = await killedMessage(it);
    await stopped(it);
    expect(await json<Dead>(it, 'dead')).toMatchObject({ running: false, messages: [{ id }] });
    expect((await it.command('show', id)).stdout).toMatch(/given up: failed/);
    expect((await json<{ turns: object[] }>(it, 'ledger')).turns).toHaveLength(1);
    const retried = await it.command('retry', id);
    expect(retried.stdout).toContain('tried again when the worker is started');
    // The lease was taken for the moment and given back: nobody is taken over.
    const next = it.run(['--once']);
    expect(await next.ended()).toMatchObject({ exitCode: 0 });
    expect(next.lines.join('\n')).not.toMatch(/Took the inbox over/);
    expect(it.answers('@alice')).toHaveLength(1);
    expect(await json<Dead>(it, 'dead')).toMatchObject({ running: false, messages: [] });
    for (const args of [
      ['retry', 'nobody'],
      ['drop', id],
      ['show', 'nobody'],
      ['drop', 'out-1'],
    ]) {
      expect([args, (await it.command(...args)).exitCode]).toEqual([args, 2]);
    }
  });

  it('of a worker that was killed can be dropped, and is answered never', async () => {
    const it = await lab();
    const id = await killedMessage(it);
    await it.workers[0]?.kill();
    const dropped = await json(it, 'drop', id);
    expect(dropped).toEqual({ id, running: false, state: 'silent', messages: 1 });
    expect((await it.command('show', id)).stdout).toMatch(/silent: dropped by hand$/);
    const next = it.run(['--once']);
    expect(await next.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers()).toEqual([]);
    expect(await json<Dead>(it, 'dead')).toMatchObject({ messages: [] });
  });

  it('is read and not touched while somebody elsewhere holds the lease', async () => {
    const it = await lab();
    const id = await killedMessage(it);
    await stopped(it);
    const states = join(it.stateRoot, 'inbox-worker');
    const [identity] = (await readdir(states)).filter((name) => name !== 'running');
    const other = await openStore({
      path: join(states, identity ?? '', 'worker.db'),
      clock: systemClock,
      owner: {
        ...processHome(),
        pid: process.pid,
        processStart: processStart(process.pid) ?? '',
        folder: '/elsewhere',
        owner: 'somebody',
      },
    });
    try {
      await other.lease.acquire();
      expect(await json<Dead>(it, 'dead')).toMatchObject({ messages: [{ id }] });
      for (const command of ['retry', 'drop']) {
        const refused = await it.command(command, id);
        expect(refused.exitCode).toBe(3);
        expect(refused.stderr).toContain(`process ${process.pid} on ${hostname()} for /elsewhere`);
      }
      expect(await json(it, 'show', id)).toMatchObject({ message: { state: 'dead' } });
    } finally {
      await other.lease.release();
      await other.close();
    }
    expect((await it.command('retry', id)).exitCode).toBe(0);
  });
});

describe('pause and resume', () => {
  it('stop a running worker from starting turns; what waits can be dropped', async () => {
    const it = await lab();
    const worker = it.run();
    await worker.says(/is ready/);
    expect((await it.command('pause')).stdout).toMatch(/^Paused until .*: worker agentdm, pid \d+\.$/);
    await worker.says(/on hold, paused/);
    expect(await json(it, 'pause')).toMatchObject({ paused: true, changed: false, running: true });
    const id = it.say('@alice', 'hello');
    it.say('@bob', 'hi');
    await worker.says(/looked.*new message/);
    await it.command('wake');
    await expect
      .poll(async () => (await json<{ messages: { waiting: number } }>(it, 'status')).messages.waiting, {
        timeout: 30_000,
      })
      .toBe(2);
    expect(await json(it, 'drop', id)).toMatchObject({ running: true, state: 'silent', messages: 1 });
    expect((await it.command('resume')).stdout).toMatch(/^Resumed: worker agentdm/);
    await it.answerTo('@bob');
    expect(it.answers('@alice')).toEqual([]);
    expect((await it.command('resume')).stdout).toMatch(/^Not paused/);
  });

  it('`drop` of a waiting message works on a stopped worker, and is never answered', async () => {
    const it = await lab();
    await json(it, 'pause');
    const id = it.say('@alice', 'hello');
    it.say('@bob', 'hi');
    await it.run(['--once']).ended();
    expect(await json(it, 'drop', id)).toEqual({ id, running: false, state: 'silent', messages: 1 });
    await json(it, 'resume');
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers().map(({ to }) => to)).toEqual(['@bob']);
  });

  it('outlive the worker, and work without one', async () => {
    const it = await lab();
    expect(await json(it, 'pause')).toEqual({
      paused: true,
      changed: true,
      folder: it.folder,
      running: false,
    });
    const id = it.say('@alice', 'hello');
    await it.run(['--once']).ended();
    expect(it.turnCalls).toHaveLength(0);
    expect(await json(it, 'show', id)).toMatchObject({ running: false, message: { state: 'waiting' } });
    expect((await it.command('resume')).stdout).toBe(
      `Resumed: the agent of ${it.folder}, which is not running.`,
    );
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
  });
});

describe('an unsure send', () => {
  const proxies: ForgetfulProxy[] = [];
  afterEach(async () => {
    for (const one of proxies.splice(0)) await one.close();
  });

  /** An answer to @alice of which nobody can tell whether the inbox took it. */
  async function doubted(): Promise<{ it: Lab; id: string }> {
    const opened = await lab({}, { vocabularies: { agentdm: true, dms: false } });
    const proxy = await startForgetfulProxy(opened.inbox.url);
    proxies.push(proxy);
    const path = join(opened.folder, '.mcp.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace(opened.inbox.url, proxy.url));
    proxy.swallow(/"method":"tools\/call".*"name":"send_message"/);
    const worker = opened.run();
    const id = opened.say('@alice', 'hello');
    await worker.says(/not sent to @alice, now unsure/);
    return { it: opened, id };
  }

  it('is listed, and sent again by the next run after `retry`', async () => {
    const { it, id } = await doubted();
    const dead = await json<Dead>(it, 'dead');
    expect(dead).toMatchObject({ running: true, messages: [], sends: [{ to: '@alice', replyToId: id }] });
    const send = dead.sends[0]?.id ?? '';
    expect((await it.command('show', id)).stdout).toMatch(
      new RegExp(`\n {2}${send} is unsure after 1 try: `),
    );
    await stopped(it);
    expect(it.answers('@alice')).toEqual([]);
    expect((await it.command('retry', send)).stdout).toContain('sent again when the worker is started');
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
    expect(await json<Dead>(it, 'dead')).toMatchObject({ running: false, sends: [] });
  });

  it('is given up by `drop` on a running worker', async () => {
    const { it, id } = await doubted();
    const [send] = (await json<Dead>(it, 'dead')).sends;
    expect((await it.command('drop', send?.id ?? '')).stdout).toContain('is given up');
    expect((await it.command('show', id)).stdout).toContain(
      `${send?.id} is refused after 1 try: dropped by hand`,
    );
    expect((await it.command('drop', send?.id ?? '')).exitCode).toBe(2);
    await stopped(it);
    expect(it.answers('@alice')).toEqual([]);
  });
});

describe('logs', () => {
  it('tell the end of what Claude Code printed, and follow it', async () => {
    const it = await lab();
    const nothing = await it.command('logs');
    expect(nothing).toMatchObject({ exitCode: 0, stdout: '' });
    expect(nothing.stderr).toContain('printed nothing yet');
    const file = join(it.folder, '.orchestrator', 'agent-loop.log');
    await mkdir(join(it.folder, '.orchestrator'));
    await writeFile(file, 'one\ntwo\u001b[2J\nthree\n');
    expect((await it.command('logs', '--lines', '2')).stdout).toBe('two [2J\nthree');
    expect(await json(it, 'logs', '--lines', '1')).toEqual({ file, lines: ['three'] });

    const following = new WorkerProcess(['logs', '--follow', '--lines', '1'], it.folder, it.env());
    it.workers.push(following);
    await following.says(/^three$/);
    await appendFile(file, 'four\n');
    await following.says(/^four$/);
    following.signal('SIGINT');
    expect(await following.ended()).toMatchObject({ signal: 'SIGINT' });
    expect(following.lines).toEqual(['three', 'four']);
  });
});

describe('a folder without an agent', () => {
  it('is told from one whose worker is stopped', async () => {
    const it = await lab();
    const elsewhere: Answer[] = [];
    for (const command of [['dead'], ['show', 'm1'], ['ledger'], ['pause'], ['logs']]) {
      elsewhere.push(await commandIn(it.home, it, ...command));
    }
    for (const { exitCode, stderr } of elsewhere) {
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^error: No worker is running, and .* has no \.mcp\.json/);
    }
    // Named, it is found from anywhere; it has never run.
    const named = await commandIn(it.home, it, 'dead', '--dir', it.folder);
    expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No worker has answered') });
    expect(await commandIn(it.home, it, 'logs', '--dir', it.folder)).toMatchObject({ exitCode: 0 });
  });
});
