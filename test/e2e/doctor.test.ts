// `doctor` over the real parts: what it says of a sound folder, of each thing that is broken, and its exit code.
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Lab, type LabOptions, openLab, processesWith } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

const labs: Lab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

async function lab(options: LabOptions = {}): Promise<Lab> {
  const opened = await openLab(options);
  labs.push(opened);
  return opened;
}

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  readonly fix?: string;
}

interface Report {
  readonly ok: boolean;
  readonly exitCode: number;
  readonly checks: readonly Check[];
}

async function doctor(
  one: Lab,
  args: readonly string[] = [],
  more: Record<string, string> = {},
): Promise<Report & { readonly stdout: string; of(name: string): Check | undefined }> {
  const { stdout, stderr, exitCode } = await execa(process.execPath, [MAIN, 'doctor', '--json', ...args], {
    cwd: one.folder,
    env: one.env(more),
    extendEnv: false,
    reject: false,
  });
  if (stderr !== '') throw new Error(stderr);
  const report = JSON.parse(stdout) as Report;
  expect(report.exitCode).toBe(exitCode);
  // Whatever is not well says what to do.
  for (const { state, fix } of report.checks)
    expect(fix !== undefined).toBe(['warn', 'fail'].includes(state));
  return { ...report, stdout, of: (name) => report.checks.find((check) => check.name === name) };
}

async function takenPort(): Promise<{ port: number; free(): void }> {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, free: () => server.close() };
}

describe('with a sound folder', () => {
  it('finds everything well, asks no model, and leaves the mail where it is', async () => {
    const one = await lab({ settings: { webhook: true, webhook_port: 0, wake_stream: 'auto' } });
    one.say('@alice', 'hello');
    const report = await doctor(one);
    expect(report.checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(report).toMatchObject({ ok: true, exitCode: 0 });
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...['node', 'settings', '.mcp.json', 'state folder', 'agent folder', 'disk', 'lease'],
      ...['claude', 'claude start', 'stop hooks', 'inbox', 'clock', 'webhook', 'wake stream'],
    ]);
    expect(report.of('webhook')?.text).toContain('A test delivery woke the webhook receiver');
    expect(report.of('wake stream')?.text).toBe('The wake stream opens.');
    expect(report.stdout).not.toContain(one.inbox.ensureAlias('@agent'));
    expect(one.turnCalls).toEqual([]);

    const worker = one.run(['--once', '--webhook', 'off']);
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(one.answers('@alice')).toHaveLength(1);
  });

  it('says it in lines for people', async () => {
    const one = await lab();
    const { stdout, exitCode } = await one.command('doctor', '--claude-path', '/nowhere/claude');
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^ok {4}inbox {9}The inbox answered a call in .*, over MCP 2025-11-25\.$/m);
    expect(stdout).toMatch(/^fail {2}claude {8}There is no program at \/nowhere\/claude.*\n +try: Install/m);
    expect(stdout).toMatch(/^skip {2}claude start/m);
    expect(stdout).toMatch(/A worker cannot run here: 1 check failed\.$/);
  });
});

it('ends the Claude Code it has started before a Ctrl-C has its way, and leaves nothing', async () => {
  const one = await lab();
  const examining = one.start(MAIN, ['doctor'], { TMPDIR: one.root });
  await examining.says(/^ok +claude /);
  await vi.waitFor(
    async () => expect(await processesWith(`${one.root}/inbox-worker-trial-`)).not.toEqual([]),
    {
      timeout: 30_000,
    },
  );
  examining.signal('SIGINT');
  expect(await examining.ended()).toMatchObject({ signal: 'SIGINT' });
  expect(await processesWith(`${one.root}/inbox-worker-trial-`)).toEqual([]);
  expect((await readdir(one.root)).filter((name) => name.startsWith('inbox-worker-trial-'))).toEqual([]);
  expect(examining.lines.join('\n')).not.toContain('A worker can');
});

describe('with something broken', () => {
  it('no .mcp.json: 2, and the rest is still looked at', async () => {
    const one = await lab();
    await rm(join(one.folder, '.mcp.json'));
    const report = await doctor(one);
    expect(report).toMatchObject({ ok: false, exitCode: 2 });
    expect(report.of('.mcp.json')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('inbox-worker init'),
    });
    expect(report.of('claude start')?.state).toBe('ok');
    expect(report.of('inbox')?.state).toBe('skip');
  });

  it('a variable that is not set, or a wrong setting: 2', async () => {
    const one = await lab();
    await rm(join(one.folder, '.env'));
    const unset = await doctor(one, ['--claude-path', '/nowhere/claude']);
    expect(unset.exitCode).toBe(2);
    expect(unset.of('.mcp.json')?.text).toContain('AGENTDM_API_KEY');
    const wrong = await doctor(one, ['--min-sleep', 'soon']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.of('settings')).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('--min-sleep'),
    });
  });

  it('a wrong key: 5, for the inbox and, as a warning, for the stream', async () => {
    const one = await lab({ settings: { wake_stream: 'auto' } });
    await writeFile(join(one.folder, '.env'), 'AGENTDM_API_KEY=agentdm_wrong_key_0123456789\n');
    const report = await doctor(one);
    expect(report).toMatchObject({ ok: false, exitCode: 5 });
    expect(report.of('inbox')).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('refused our key'),
    });
    expect(report.of('wake stream')).toMatchObject({ state: 'warn', text: expect.stringContaining('401') });
    expect(report.stdout).not.toContain('agentdm_wrong_key');
  });

  it('an inbox that is down: 5', async () => {
    const one = await lab();
    await one.inbox.close();
    const report = await doctor(one, ['--claude-path', '/nowhere/claude', '--wake-stream', 'auto']);
    expect(report.of('inbox')).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('not reachable'),
    });
    expect(report.of('clock')?.state).toBe('skip');
    expect(report.of('wake stream')?.state).toBe('warn');
  });

  it('neither key nor login: 4', async () => {
    const report = await doctor(await lab(), [], { ANTHROPIC_API_KEY: '' });
    expect(report).toMatchObject({ ok: false, exitCode: 4 });
    expect(report.of('claude')?.state).toBe('ok');
    expect(report.of('claude start')).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('not logged in'),
      fix: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });

  it.runIf(process.getuid?.() === 0)('root with preset everything: 4, unless in a sandbox', async () => {
    const one = await lab({ settings: { preset: 'everything' } });
    await mkdir(join(one.folder, '.claude'));
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] };
    await writeFile(join(one.folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    const refused = await doctor(one);
    expect(refused.exitCode).toBe(4);
    expect(refused.of('claude start')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('IS_SANDBOX'),
    });
    expect(refused.of('stop hooks')?.state).toBe('warn');
    const sandboxed = await doctor(one, [], { IS_SANDBOX: '1' });
    expect(sandboxed.exitCode).toBe(0);
  });
});

it('looks whether those who are to be told can be, and tells nobody', async () => {
  const one = await lab({ settings: { on_hold: ['no-such-program', 'x'], on_dead: 'touch told && true' } });
  const report = await doctor(one, ['--claude-path', '/nowhere/claude']);
  expect(report.of('on_hold')).toMatchObject({
    state: 'warn',
    text: 'There is no program no-such-program that could be run.',
  });
  expect(report.of('on_dead')?.state).toBe('ok');
  expect(await readdir(one.folder)).not.toContain('told');
});

describe('with the webhook port', () => {
  it('taken by a stranger: a warning; open to all without a secret: 2', async () => {
    const one = await lab();
    const { port, free } = await takenPort();
    try {
      const quick = ['--claude-path', '/nowhere/claude', '--webhook', 'on', '--webhook-port', String(port)];
      const report = await doctor(one, quick);
      expect(report.of('webhook')).toMatchObject({
        state: 'warn',
        text: expect.stringContaining(`:${port} `),
      });
      const open = await doctor(one, [...quick, '--webhook-host', '0.0.0.0']);
      expect(open.of('webhook')).toMatchObject({ state: 'fail', text: expect.stringContaining('secret') });
    } finally {
      free();
    }
  });

  it("sends the running worker a signed and a forged test, of which nothing comes; another's secret is found out", async () => {
    const one = await lab({
      settings: { webhook: true, webhook_port: 0, wake_stream: 'auto', min_sleep: '1h' },
    });
    const secret = { WEBHOOK_SECRET: 'correct horse battery staple' };
    const worker = one.run([], secret);
    await worker.says(/ready/i);
    const quick = ['--claude-path', '/nowhere/claude'];
    const report = await doctor(one, quick, secret);
    expect(report.of('webhook')).toMatchObject({
      state: 'ok',
      text: expect.stringMatching(
        `^A signed test delivery woke the worker that runs here \\(process ${worker.pid}\\) at 127.0.0.1:\\d+; a forged one was refused\\.$`,
      ),
    });
    expect(report.of('wake stream')?.text).toContain('of the worker that runs here');
    const { look } = JSON.parse((await one.command('status', '--json')).stdout);
    expect(look.missedWakes).toBe(0);
    expect(worker.lines.filter((line) => /webhook post was refused|by a webhook/.test(line))).toEqual([]);

    const other = await doctor(one, quick, { WEBHOOK_SECRET: 'something else' });
    expect(other.of('webhook')).toMatchObject({
      state: 'warn',
      text: expect.stringContaining('refused (HTTP 401)'),
      fix: expect.stringContaining('start it again'),
    });
    expect(other.stdout).not.toMatch(/correct horse|something else/);
  });

  it('and the lease held by our own worker: well; from another folder with the same key: a warning', async () => {
    const { port, free } = await takenPort();
    free();
    const one = await lab({ settings: { webhook: true, webhook_port: port } });
    const second = join(one.root, 'second');
    await cp(one.folder, second, { recursive: true });
    const worker = one.run();
    await worker.says(/ready/i);
    const own = await doctor(one);
    expect(own.exitCode).toBe(0);
    expect(own.of('webhook')).toMatchObject({
      state: 'ok',
      text: expect.stringContaining(`process ${worker.pid}`),
    });
    expect(own.of('lease')).toMatchObject({ state: 'ok', text: expect.stringContaining('runs here') });
    const other = await doctor(one, ['--dir', second]);
    expect(other).toMatchObject({ ok: true, exitCode: 0 });
    expect(other.of('lease')).toMatchObject({ state: 'warn', text: expect.stringContaining(one.folder) });
  });
});
