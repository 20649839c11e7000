// `inbox-worker inbox` as a user starts it: what it prints is what other programs connect with.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { execa } from 'execa';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Feed } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'inbox-command-'));
  const folder = root;
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
});

interface HttpEntry {
  readonly type?: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

interface Printed {
  readonly url: string;
  readonly pid: number;
  readonly vocabularies: string[];
  readonly channels: string[];
  readonly agentAlias: string;
  readonly aliases: Record<
    string,
    {
      key: string;
      claudeCode: { mcpServers: { agentdm: HttpEntry } };
      env: Record<string, string>;
      cursor: { mcpServers: { agentdm: HttpEntry } };
      claudeDesktop: { mcpServers: { agentdm: { command: string; args: string[] } } };
    }
  >;
}

function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: root, XDG_STATE_HOME: join(root, 'state') };
}

/** Starts the command; it is ended with the test, whatever happens. */
function start(...args: string[]) {
  const child = execa(process.execPath, [MAIN, 'inbox', ...args], {
    cwd: root,
    env: environment(),
    extendEnv: false,
    reject: false,
    lines: true,
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
  });
  const lines = new Feed<string>();
  void (async () => {
    for await (const line of child.iterable({ from: 'stdout' })) lines.add(String(line));
  })().catch(() => {});
  return {
    lines,
    async printed(): Promise<Printed> {
      return JSON.parse(await lines.first((line) => line.startsWith('{'), 'the line of JSON'));
    },
    async text(): Promise<string> {
      await lines.first((line) => line.startsWith('Ctrl-C ends it'), 'the last line');
      return lines.items.join('\n');
    },
    /** SIGTERM, and what became of it. */
    async stop() {
      child.kill('SIGTERM');
      const { exitCode, signal } = await child;
      return { exitCode, signal };
    },
    ended: child,
  };
}

async function client(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' });
  onTestFinished(() => made.close());
  await made.connect(transport);
  return made;
}

const overHttp = ({ url, headers }: HttpEntry): Promise<Client> =>
  client(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

/** As Claude Desktop starts it: the entry's command and args, hardly an environment, some other folder. */
const overStdio = (entry: { command: string; args: string[] }): Promise<Client> =>
  client(
    new StdioClientTransport({
      ...entry,
      env: { ...getDefaultEnvironment(), HOME: root },
      cwd: tmpdir(),
      stderr: 'ignore',
    }),
  );

/** As Claude Code and the worker do. */
const resolved = (entry: HttpEntry, env: Record<string, string>): HttpEntry =>
  JSON.parse(JSON.stringify(entry).replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? ''));

async function call(connected: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await connected.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]?.text ?? '';
}

/** The blocks of JSON in a text for people, in their order. */
function blocks(text: string): { mcpServers: Record<string, unknown> }[] {
  return [...text.matchAll(/^\{$[\s\S]*?^\}$/gm)].map(([block]) => JSON.parse(block));
}

describe('what it prints', () => {
  it('for people: entries for Claude Code, Cursor and Claude Desktop, each of which connects', async () => {
    const inbox = start('--port', '0');
    const text = await inbox.text();
    const [claudeCode, cursor, desktop] = blocks(text).map(({ mcpServers }) => mcpServers.agentdm);
    const [key] = /(?<=^AGENTDM_API_KEY=)\S+(?= {3}# @agent)/m.exec(text) ?? [];
    expect(key).toMatch(/^agentdm_[0-9a-f]+$/);

    const agent = await overHttp(resolved(claudeCode as HttpEntry, { AGENTDM_API_KEY: key ?? '' }));
    const you = await overHttp(cursor as HttpEntry);
    const desk = await overStdio(desktop as { command: string; args: string[] });
    await call(agent, 'send_message', { to: '@you', message: 'for both of you' });
    expect(await call(you, 'list_dms')).toContain('"with":"@agent","unread":1');
    expect(await call(desk, 'read_dm', { with: '@agent' })).toContain('for both of you');
    expect(await inbox.stop()).toEqual({ exitCode: 0, signal: undefined });
  });

  it('for programs: one line, with every alias and channel, and absolute paths', async () => {
    const inbox = start(
      '--port',
      '0',
      '--json',
      '--alias',
      'bot',
      '--alias',
      '@alice',
      '--channel',
      '#team=@bot,@alice,@carol',
    );
    const printed = await inbox.printed();
    expect(inbox.lines.items).toHaveLength(1);
    expect(printed).toMatchObject({
      agentAlias: '@bot',
      channels: ['#team'],
      vocabularies: ['dms', 'agentdm'],
    });
    expect(Object.keys(printed.aliases).sort()).toEqual(['@alice', '@bot', '@carol']);
    for (const entries of Object.values(printed.aliases)) {
      const { command, args } = entries.claudeDesktop.mcpServers.agentdm;
      expect([command, args[0]].every((path) => isAbsolute(path ?? ''))).toBe(true);
      expect(JSON.stringify(entries.claudeDesktop)).not.toContain(entries.key);
    }
    const connect = (alias: string) => {
      const entries = printed.aliases[alias];
      if (!entries) throw new Error(`no entries for ${alias}`);
      return overHttp(resolved(entries.claudeCode.mcpServers.agentdm, entries.env));
    };
    const bot = await connect('@bot');
    await call(bot, 'send_message', { to: '#team', message: 'hello team' });
    expect(await call(await connect('@carol'), 'read_messages')).toContain('"channel":"#team"');
    expect(await inbox.stop()).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['--no-dms', 'read_messages', 'list_dms'],
    ['--no-agentdm', 'list_dms', 'read_messages'],
  ])('with %s only one vocabulary is offered', async (option, there, missing) => {
    const inbox = start('--port', '0', '--json', option);
    const { aliases, vocabularies } = await inbox.printed();
    expect(vocabularies).toHaveLength(1);
    const you = await overHttp(aliases['@you']?.cursor.mcpServers.agentdm as HttpEntry);
    const names = (await you.listTools()).tools.map(({ name }) => name);
    expect(names).toContain(there);
    expect(names).not.toContain(missing);
  });
});

describe('for a worker elsewhere', () => {
  it('--keys prints what belongs into its .env, beside an inbox that runs, and ends', async () => {
    const serving = start('--port', '0', '--json');
    const { aliases } = await serving.printed();
    const keys = start('--keys');
    expect(await keys.ended).toMatchObject({ exitCode: 0 });
    expect(keys.lines.items).toEqual([
      `AGENTDM_API_KEY=${aliases['@agent']?.key}`,
      `# @you: ${aliases['@you']?.key}`,
    ]);
    const json = start('--keys', '--json', '--alias', 'bob');
    await json.ended;
    expect(JSON.parse(json.lines.items[0] ?? '')).toEqual({ '@bob': expect.stringMatching(/^agentdm_/) });
    expect(await serving.stop()).toMatchObject({ exitCode: 0 });
  });

  it('--host lets others reach it, says what that means, and --quiet keeps the keys out of its log', async () => {
    const open = start('--port', '0', '--host', '0.0.0.0', '--quiet');
    const line = await open.lines.first(() => true, 'the address');
    const port = /^The embedded inbox listens at http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(line)?.[1];
    // Under a name that is not loopback's, as from another container.
    const other = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4');
    const reached = await fetch(`http://${other?.address ?? '127.0.0.1'}:${port}/healthz`);
    expect(reached.status).toBe(200);
    expect(await open.stop()).toMatchObject({ exitCode: 0 });
    expect(open.lines.items).toHaveLength(1);
    expect((await open.ended).stderr.join('\n')).toContain('keys and messages travel unencrypted');
  });

  it('an empty --host is refused: it would mean every address', async () => {
    const refused = start('--port', '0', '--host', '');
    expect(await refused.ended).toMatchObject({ exitCode: 2 });
  });
});

describe('a restart', () => {
  it('keeps messages and keys, in files of their owner alone', async () => {
    const first = start('--port', '0', '--json');
    const before = await first.printed();
    const you = before.aliases['@you'];
    await call(await overHttp(you?.cursor.mcpServers.agentdm as HttpEntry), 'send_dm', {
      to: '@agent',
      message: 'still there?',
    });
    expect(await first.stop()).toMatchObject({ exitCode: 0 });
    const { mode } = await stat(join(root, 'state', 'inbox-worker', 'local-inbox', 'inbox.db'));
    expect(mode & 0o077).toBe(0);

    const second = start('--port', '0', '--json');
    const after = await second.printed();
    expect(after.aliases['@you']?.key).toBe(you?.key);
    const agent = await overHttp(after.aliases['@agent']?.cursor.mcpServers.agentdm as HttpEntry);
    expect(await call(agent, 'read_dm', { with: '@you' })).toContain('still there?');
  });
});

describe('what cannot work', () => {
  it('a taken port: two lines and exit code 2', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    onTestFinished(() => new Promise((done) => other.close(() => done())));
    const { port } = other.address() as AddressInfo;
    const { exitCode, stderr, stdout } = await start('--port', String(port)).ended;
    expect(exitCode).toBe(2);
    expect(stdout).toEqual([]);
    expect(stderr).toEqual([
      expect.stringMatching(
        new RegExp(`^error: The embedded inbox could not start: .* port ${port} \\(EADDRINUSE\\)`),
      ),
      expect.stringContaining('try: Choose another port with --port'),
    ]);
  });

  it.each([
    [['--no-dms', '--no-agentdm'], 'no tools are left'],
    [['--channel', 'team'], "write '#name=@a,@b'"],
    [['--channel', '#team=@a b'], 'is not an alias'],
    [['--alias', 'x'], 'is not an alias'],
    [['--port', '1e3'], 'write a number from 0 to 65535'],
    [['--webhook', '@you=http://127.0.0.1:9'], '--webhook needs a WEBHOOK_SECRET'],
  ])('%j: a sentence and exit code 2', async (args, word) => {
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const { exitCode, stderr } = await start(...port, ...args).ended;
    expect(exitCode).toBe(2);
    expect(stderr[0]).toMatch(/^error: /);
    expect(stderr[0]).toContain(word);
    expect(stderr[1]).toMatch(/^try: /);
  });
});
