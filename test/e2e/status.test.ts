// Looking at a worker: what it does, what it would do, whether it serves; running, stopped, killed, restarted.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab, WorkerProcess } from '../support/agent-lab.js';

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

interface Seen {
  readonly running: boolean;
  readonly health: string;
  readonly [field: string]: unknown;
}

async function status(lab: Lab, exitCode = 0): Promise<Seen> {
  const answer = await lab.command('status', '--json');
  expect([answer.stderr, answer.exitCode]).toEqual(['', exitCode]);
  return JSON.parse(answer.stdout);
}

const next = async (lab: Lab): Promise<Record<string, unknown>> =>
  JSON.parse((await lab.command('next', '--json')).stdout);

describe('a worker that runs', () => {
  it('tells in one glance what it did, spent, hears and remembers', async () => {
    const it = await lab({ webhook: true, webhook_port: 0, budget_hour: '$2' });
    const worker = it.run();
    await worker.says(/is ready/);
    it.say('@alice', 'hello');
    await it.answerTo('@alice');
    await worker.log.first((line) => line.event === 'sent', 'the sending');
    const seen = await status(it);
    expect(seen).toMatchObject({
      running: true,
      kind: 'worker',
      pid: worker.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      health: 'idle',
      until: expect.any(Number),
      today: { turns: 1, modelCalls: 1, messages: { in: 1, answered: 1, silent: 0, dead: 0 } },
      budgets: [
        { window: 'hour', cap: { usd: 2, tokens: 'unlimited' }, endsAt: expect.any(Number) },
        { window: 'day', cap: { usd: 10 }, spent: { usd: expect.any(Number), tokens: expect.any(Number) } },
      ],
      session: { conversation: '@alice', turns: 1 },
      wakes: [
        { name: 'control files' },
        { name: 'signal' },
        { name: 'webhook', announces: false, address: expect.stringMatching(/^http:.*\/webhook$/) },
      ],
    });
    const text = (await it.command('status')).stdout;
    expect(text).toMatch(/^worker agentdm in .*\nidle: Waiting for a message\./);
    expect(text).toMatch(/today +1 in, 1 answered, 0 silent, 0 dead; 1 turn, \$/);
    expect(text).toMatch(
      /budget +hour \$\S+ of \$2\.00 \(resets in .*\); day \$\S+ of \$10\.00 \(resets in /,
    );
    expect(text).toMatch(/wakes +webhook http:\S+, none yet\n/);
    expect(text).toMatch(/session +\S+ with @alice, 1 turn, .* old, \d+\S* tokens\n/);

    const [, , webhook] = seen.wakes as { address: string }[];
    await fetch(webhook?.address ?? '', { method: 'POST' });
    await worker.says(/woken by a webhook/);
    expect((await it.command('status')).stdout).toMatch(/wakes +webhook http:\S+, last .* ago\n/);
  });

  it('tells what it would do next, and what stands in the way', async () => {
    const it = await lab();
    const worker = it.run();
    await worker.says(/is ready/);
    expect(await next(it)).toMatchObject({ running: true, does: 'nothing', next: [] });
    await it.command('pause');
    await worker.says(/on hold, paused: Paused: `inbox-worker resume` goes on/);
    const id = it.say('@alice', 'a secret');
    await worker.says(/looked.*new message/);
    expect(await next(it)).toMatchObject({
      does: 'hold',
      hold: { reason: 'paused' },
      next: [{ conversation: '@alice', messages: [{ id, chars: 8 }], prompt: 'full', attempt: 1 }],
    });
    const text = (await it.command('next')).stdout;
    expect(text).toMatch(/^held: Paused: `\S* ?\S+ resume` goes on .*\n {2}1\. @alice: 1 message, /);
    expect(text).not.toContain('secret');
    expect((await it.command('status')).stdout).toMatch(/^worker .*\npaused: Paused: `.* resume` goes on/);
    expect(it.turnCalls).toHaveLength(0);
  });
});

describe('a worker that does not run', () => {
  it('has never run, is stopped, or was killed; and is started by what is told', async () => {
    const it = await lab();
    expect(await status(it, 8)).toMatchObject({ running: false, health: 'stopped', ended: 'never' });
    expect((await it.command('next')).stdout).toMatch(
      /\nnothing to do: No worker has answered this inbox yet/,
    );
    const worker = it.run();
    it.say('@alice', 'hello');
    await it.answerTo('@alice');
    await it.command('pause');
    await worker.says(/on hold, paused/);
    const id = it.say('@bob', 'hi');
    await worker.says(/looked.*new message/, worker.log.items.length);
    worker.signal('SIGTERM');
    await worker.ended();

    const stopped = await status(it, 8);
    expect(stopped).toMatchObject({
      running: false,
      health: 'stopped',
      ended: 'stopped',
      paused: true,
      lastSeenAt: expect.any(Number),
      holder: { pid: worker.pid, folder: it.folder },
      messages: { waiting: 1, answered: 1 },
      today: { turns: 1, messages: { in: 2, answered: 1 } },
      budgets: [{ window: 'day', cap: { usd: 10 } }],
      session: { conversation: '@alice' },
      lastTurn: { conversation: '@alice', verdict: 'answered' },
    });
    const answer = await it.command('status');
    expect(answer).toMatchObject({ exitCode: 8, stderr: '' });
    expect(answer.stdout).toMatch(/^worker agentdm in .*\nnot running: It was stopped\.\n {2}since +ended /);
    expect(answer.stdout).toMatch(/\n {2}waiting +1 message, .*\n {2}today /);
    expect(answer.stdout).toMatch(/\n {2}paused +no turn starts until `.* resume`\n {2}start +.* run$/);

    // From its store, with nothing taken or changed.
    expect(await next(it)).toMatchObject({
      running: false,
      does: 'hold',
      next: [{ conversation: '@bob', messages: [{ id }] }],
    });
    await it.command('resume');
    expect(await next(it)).toMatchObject({ does: 'answer', why: 'Answers @bob.' });
    expect(await status(it, 8)).toMatchObject({ messages: stopped.messages, lastSeenAt: stopped.lastSeenAt });
    expect((await it.command('drop', id)).exitCode).toBe(0);
    expect(await next(it)).toMatchObject({ does: 'nothing', next: [] });

    const second = it.run();
    await second.says(/is ready/);
    await second.kill();
    expect(await status(it, 8)).toMatchObject({ ended: 'gone', why: expect.stringContaining('killed') });
    expect((await it.command('status')).stdout).toMatch(/since +last heard of /);
  });

  it('is told apart by those who would steer it', async () => {
    const it = await lab();
    for (const [command, hint] of [
      ['stop', 'There is nothing to stop. How it was left: '],
      ['wake', 'Start it, and it looks at once: '],
      ['reload', 'There is nothing to reload; a start reads everything: '],
    ] as const) {
      const { exitCode, stderr, stdout } = await it.command(command);
      expect([command, exitCode, stdout]).toEqual([command, 8, '']);
      expect(stderr.split('\n')).toEqual([
        'error: No worker or rehearsal is running.',
        expect.stringContaining(`try: ${hint}`),
      ]);
    }
  });
});

describe('status --watch', () => {
  it('goes on over the end and the start of a worker, and ends cleanly', async () => {
    const it = await lab();
    const watching = new WorkerProcess(
      ['status', '--watch', '--interval', '100ms', '--json'],
      it.folder,
      it.env(),
    );
    it.workers.push(watching);
    const sees = (what: string, fits: (line: Seen) => boolean): Promise<unknown> =>
      watching.log.first((line) => fits(line as unknown as Seen), what, watching.log.items.length);
    await sees('nobody', ({ running }) => !running);
    const worker = it.run();
    await sees('a worker', ({ running, pid }) => running && pid === worker.pid);
    worker.signal('SIGTERM');
    await sees('its end', ({ running, ended }) => !running && ended === 'stopped');
    await worker.ended();
    const second = it.run();
    await sees('the next one', ({ running, pid }) => running && pid === second.pid);
    watching.signal('SIGINT');
    expect(await watching.ended()).toEqual({ exitCode: 0, signal: undefined });
  });

  it('is drawn on a terminal, which is given back at the end', async () => {
    const it = await lab();
    // `script` gives it a terminal of its own.
    const terminal = execa(
      'script',
      ['-qec', `exec '${process.execPath}' '${MAIN}' status --watch`, '/dev/null'],
      {
        cwd: it.folder,
        env: { ...it.env(), SHELL: '/bin/sh' },
        extendEnv: false,
        reject: false,
        stdin: 'pipe',
      },
    );
    let drawn = '';
    const twice = new Promise<void>((done) => {
      terminal.stdout.on('data', (chunk: Buffer) => {
        drawn += chunk.toString();
        if (drawn.split('\u001b[H').length > 2) done();
      });
    });
    await twice;
    // Ctrl-C, as a terminal sends it.
    terminal.stdin.write('\u0003');
    const { exitCode } = await terminal;
    expect(exitCode).toBe(0);
    expect(drawn.startsWith('\u001b[?1049h\u001b[?25l\u001b[H')).toBe(true);
    expect(drawn).toMatch(/\[\?1049lworker agentdm in .*\r\nnot running: No worker has answered/);
  });

  it('says that --interval belongs to it, and which ones there are', async () => {
    const it = await lab();
    const alone = await it.command('status', '--interval', '1s');
    expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('belongs to --watch') });
    const odd = await it.command('status', '--watch', '--interval', 'soon');
    expect(odd).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/"soon"; write a duration/) });
  });
});

describe('/healthz', () => {
  const health = async (port: number, init: RequestInit = {}): Promise<[number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, init);
    return [response.status, await response.json().catch(() => undefined)];
  };

  /** A port that was free a moment ago: it must be the same over a restart of the inbox. */
  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    return typeof address === 'object' && address ? address.port : 0;
  }

  it('tells a load balancer whether the worker serves, and no more', async () => {
    const port = await freePort();
    const it = await lab({ webhook: true, webhook_port: port, drain: '60s' });
    const worker = it.run();
    await worker.says(/Webhooks are taken at/);
    await worker.says(/is ready/);
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([200, { status: 'ok' }]);
    expect(await health(port, { method: 'HEAD' })).toEqual([200, undefined]);
    await it.command('pause');
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([200, { status: 'paused' }]);
    await it.command('resume');
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([200, { status: 'ok' }]);

    // In the middle of a turn it still answers at once; asked to stop, it is no longer to be counted on.
    const hold = it.api.hold();
    it.say('@alice', 'hello');
    await hold.reached;
    expect(await health(port)).toEqual([200, { status: 'ok' }]);
    worker.signal('SIGTERM');
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([503, { status: 'stopping' }]);
    expect(await health(port, { method: 'HEAD' })).toEqual([503, undefined]);
    hold.release();
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
  });

  it('is 503 while the inbox is away', async () => {
    const port = await freePort();
    const it = await lab({ webhook: true, webhook_port: port });
    const worker = it.run();
    await worker.says(/Webhooks are taken at/);
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([200, { status: 'ok' }]);
    await it.inbox.close();
    await expect.poll(() => health(port), { timeout: 30_000 }).toEqual([503, { status: 'inbox-down' }]);
  });
});
