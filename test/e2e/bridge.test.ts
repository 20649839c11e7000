// `inbox-worker bridge` as Claude Desktop starts it: the built program on stdin and stdout, an embedded inbox behind it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { execa } from 'execa';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { removeRunning, runningFolder, writeRunning } from '../../src/control/index.js';
import { processStart } from '../../src/lib/process-identity.js';
import { type LocalInbox, type Posted, startLocalInbox } from '../../src/local-inbox/index.js';
import { Feed } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

let root: string;
let posted: Feed<Posted>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bridge-'));
  posted = new Feed<Posted>();
  const folder = root;
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
});

async function startInbox(port = 0): Promise<LocalInbox> {
  const inbox = await startLocalInbox({
    databasePath: join(root, 'inbox.db'),
    port,
    onPosted: (message) => posted.add(message),
  });
  onTestFinished(() => inbox.close());
  inbox.ensureAlias('@agent');
  inbox.ensureAlias('@you');
  return inbox;
}

const stateDir = (): string => join(root, 'state', 'inbox-worker');

/** Says, as `inbox-worker inbox` does, where the inbox is; its process is this one. */
async function announce(inbox: LocalInbox): Promise<void> {
  await writeRunning(runningFolder(stateDir()), {
    kind: 'inbox',
    pid: process.pid,
    processStart: processStart(process.pid) ?? '',
    startedAt: Date.now(),
    folder: root,
    identity: 'local-inbox',
    inboxName: 'local-inbox',
    inbox: { url: inbox.url, keys: inbox.keys() },
    agentAlias: '@agent',
  });
}

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: root,
  XDG_STATE_HOME: join(root, 'state'),
  ...more,
});

interface Bridged {
  readonly client: Client;
  readonly pid: number;
  readonly errors: Feed<string>;
  /** Lines on its stdout that are no protocol. */
  readonly strange: Error[];
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

async function bridge(args: string[] = [], env: Record<string, string> = {}): Promise<Bridged> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'bridge', ...args],
    env: environment(env),
    cwd: root,
    stderr: 'pipe',
  });
  const errors = new Feed<string>();
  transport.stderr?.on('data', (chunk: Buffer) => errors.add(chunk.toString()));
  const client = new Client({ name: 'desktop', version: '1' });
  const strange: Error[] = [];
  client.onerror = (error) => strange.push(error);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    pid: transport.pid ?? 0,
    errors,
    strange,
    async call(name, args = {}) {
      const { content } = await client.callTool({ name, arguments: args });
      return (content as { text: string }[])[0]?.text ?? '';
    },
  };
}

const toAgent = (): string[] =>
  posted.items.filter(({ to }) => to === '@agent').map(({ from, text }) => `${from}: ${text}`);

describe('the embedded inbox', () => {
  it('is listed, read and written to as @you, with nothing but protocol on stdout', async () => {
    const inbox = await startInbox();
    await announce(inbox);
    const you = await bridge();
    expect(you.client.getInstructions()).toContain('You are @you.');
    expect((await you.client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['list_dms', 'read_dm', 'send_dm', 'read_messages', 'send_message']),
    );
    await you.call('send_dm', { to: '@agent', message: 'hello' });
    expect(toAgent()).toEqual(['@you: hello']);
    inbox.post({ from: '@agent', to: '@you', text: 'hello yourself' });
    expect(await you.call('read_dm', { with: '@agent' })).toContain('hello yourself');
    expect(you.strange).toEqual([]);
  });

  it('as another alias; one that is not there is named in the error', async () => {
    const inbox = await startInbox();
    await announce(inbox);
    const agent = await bridge(['--as', 'agent']);
    await agent.call('send_dm', { to: '@you', message: 'x' });
    expect(posted.items).toMatchObject([{ from: '@agent', to: '@you' }]);
    const nobody = await bridge(['--as', '@nobody']);
    await expect(nobody.client.listTools()).rejects.toThrow(
      'There is no alias @nobody in that inbox; it has @agent, @you.',
    );
  });

  it('that forgets its sessions is read again, and written to once', async () => {
    const inbox = await startInbox();
    await announce(inbox);
    const you = await bridge();
    await you.client.listTools();
    await inbox.dropSessions();
    expect(await you.call('list_dms')).toBe('{"dms":[]}');
    await inbox.dropSessions();
    await you.call('send_message', { to: '@agent', message: 'once' });
    expect(toAgent()).toEqual(['@you: once']);
  });

  it('that goes away is named in the errors, and found again on another port', async () => {
    const first = await startInbox();
    await announce(first);
    const you = await bridge();
    await you.call('send_dm', { to: '@agent', message: 'before' });
    await first.close();
    await expect(you.call('list_dms')).rejects.toThrow(
      /The inbox at http:\/\/127\.0\.0\.1:\d+\/mcp\/v1\/grid is not reachable \(ECONNREFUSED\)/,
    );
    await removeRunning(runningFolder(stateDir()), process.pid);
    await expect(you.call('list_dms')).rejects.toThrow(
      /No inbox or rehearsal is running\. Start one with: .* inbox/,
    );
    await announce(await startInbox());
    await you.call('send_dm', { to: '@agent', message: 'after' });
    expect(toAgent()).toEqual(['@you: before', '@you: after']);
    expect(you.strange).toEqual([]);
  });

  it('that starts after the bridge is announced to the client', async () => {
    const you = await bridge();
    const announced = new Promise<void>((done) => {
      you.client.setNotificationHandler(ToolListChangedNotificationSchema, () => done());
    });
    await expect(you.client.listTools()).rejects.toThrow('No inbox or rehearsal is running.');
    await announce(await startInbox());
    await announced;
    expect((await you.client.listTools()).tools.length).toBeGreaterThan(5);
  });
});

describe('any other inbox', () => {
  it('by address, its key from a variable', async () => {
    const inbox = await startInbox();
    const key = inbox.ensureAlias('@you');
    const you = await bridge(['--url', inbox.url, '--key-env', 'MY_KEY'], { MY_KEY: key });
    await you.call('send_message', { to: '@agent', message: 'by address' });
    expect(toAgent()).toEqual(['@you: by address']);
    expect(await readFile(`/proc/${you.pid}/cmdline`, 'utf8')).not.toContain(key);
  });

  it('by an entry of .mcp.json, its variables from .env', async () => {
    const inbox = await startInbox();
    const headers = { Authorization: 'Bearer ${AGENTDM_API_KEY}' };
    const folder = join(root, 'agent');
    await mkdir(folder);
    await writeFile(
      join(folder, '.mcp.json'),
      JSON.stringify({
        mcpServers: { mine: { type: 'http', url: inbox.url, headers }, other: { command: 'x' } },
      }),
    );
    await writeFile(join(folder, '.env'), `AGENTDM_API_KEY=${inbox.ensureAlias('@you')}\n`);
    const you = await bridge(['--entry', 'mine', '--dir', folder]);
    await you.call('send_dm', { to: '@agent', message: 'by entry' });
    expect(toAgent()).toEqual(['@you: by entry']);
  });

  it('that refuses the key says so, without the key', async () => {
    const inbox = await startInbox();
    const key = 'agentdm_0000feedc0ffee';
    const you = await bridge(['--url', inbox.url, '--key-env', 'MY_KEY'], { MY_KEY: key });
    const error: Error = await you.client.listTools().then(
      () => new Error('it was listed'),
      (reason: Error) => reason,
    );
    expect(error.message).toMatch(/refused the key \(HTTP 401\): check it\. .* mcp-remote/);
    await you.errors.first((text) => text.includes('refused the key'), 'a word on stderr');
    expect(error.message + you.errors.items.join('')).not.toContain(key);
  });
});

describe('the end', () => {
  function raw(args: string[] = []) {
    const child = execa(process.execPath, [MAIN, 'bridge', ...args], {
      cwd: root,
      env: environment(),
      extendEnv: false,
      reject: false,
      stdin: 'pipe',
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await child;
    });
    return child;
  }

  const request = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const hello = request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });

  it('of the input is its own: answers first, then exit code 0 and no process', async () => {
    await announce(await startInbox());
    const child = raw();
    child.stdin.end(
      hello +
        request(2, 'tools/call', { name: 'send_dm', arguments: { to: '@agent', message: 'last words' } }),
    );
    const { exitCode, signal, stdout } = await child;
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: undefined });
    const answers = stdout.split('\n').map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(toAgent()).toEqual(['@you: last words']);
    expect(processStart(child.pid ?? 0)).toBeUndefined();
  });

  it('also where there is no inbox', async () => {
    const child = raw();
    child.stdin.end();
    expect(await child).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('by SIGTERM, while the input is open', async () => {
    await announce(await startInbox());
    const child = raw();
    child.stdin.write(hello);
    await new Promise((done) => child.stdout.once('data', done));
    child.kill('SIGTERM');
    const { exitCode, signal } = await child;
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: undefined });
  });
});

describe('what cannot work ends the start', () => {
  it.each([
    [
      ['--url', 'http://127.0.0.1:9', '--entry', 'x'],
      "'--url <url>' cannot be used with option '--entry <name>'",
    ],
    [['--url', 'agentdm_feedc0ffee'], 'The value of --url is no http(s) address'],
    [['--url', 'http://me:pass-word@127.0.0.1:9'], 'holds a user or password'],
    [['--key-env', 'X'], '--key-env belongs to --url'],
    [
      ['--url', 'http://127.0.0.1:9', '--key-env', 'agentdm_feedc0ffee'],
      'the name of an environment variable',
    ],
    [['--url', 'http://127.0.0.1:9', '--key-env', 'MY_KEY'], 'The environment variable MY_KEY is not set'],
    [['--entry', 'x'], 'which is no entry of .mcp.json'],
  ])('%j', async (args, words) => {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [MAIN, 'bridge', ...args], {
      cwd: root,
      env: environment(),
      extendEnv: false,
      reject: false,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^error: .*\n+try: /);
    expect(stderr).not.toMatch(/feedc0ffee|pass-word/);
  });

  it('an entry that is a program needs no bridge', async () => {
    await writeFile(
      join(root, '.mcp.json'),
      JSON.stringify({ mcpServers: { mail: { command: 'mail-mcp' } } }),
    );
    const { exitCode, stderr } = await execa(process.execPath, [MAIN, 'bridge', '--entry', 'mail'], {
      cwd: root,
      env: environment(),
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('The entry "mail" of .mcp.json is a stdio server already.');
  });
});
