// Inboxes that nobody here has written for: the reference server of the protocol, and a vocabulary described in JSON.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { Feed, type Lab, openLab } from '../support/agent-lab.js';
import { startSmallMcpServer } from '../support/small-mcp-server.js';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const LOOPBACK_ONLY = new URL('../fixtures/inbox/loopback-only.mjs', import.meta.url).href;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function lab(settings: Record<string, unknown> = {}): Promise<Lab> {
  const opened = await openLab({ settings });
  ends.push(() => opened.close());
  return opened;
}

/** The reference server: it has a tool that shows its environment, so it gets none; and it is kept on loopback. */
async function startEverything(): Promise<{ url: string; said(): string }> {
  const child = execa(process.execPath, ['--import', LOOPBACK_ONLY, EVERYTHING, 'streamableHttp'], {
    env: {},
    extendEnv: false,
    reject: false,
    buffer: false,
  });
  ends.push(async () => {
    child.kill('SIGKILL');
    await child;
  });
  let said = '';
  const port = await new Promise<string>((done, fail) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = /^port (\d+)$/m.exec(said)?.[1];
      if (found !== undefined) done(found);
    });
    void child.then(() => fail(new Error(`the reference server ended: ${said}`)));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, said: () => said };
}

const inboxAt = (it: Lab, url: string): Promise<void> =>
  writeFile(join(it.folder, '.mcp.json'), JSON.stringify({ mcpServers: { inbox: { type: 'http', url } } }));

describe('the reference server, which is no inbox', () => {
  it('is connected to and refused, with its tools and what is missing named', async () => {
    const server = await startEverything();
    const it = await lab();
    await inboxAt(it, server.url);
    const worker = it.run(['--once']);
    expect(await worker.ended()).toMatchObject({ exitCode: 5 });
    const said = worker.lines.filter((line) => /^(error|try):/.test(line));
    expect(said[0]).toMatch(/^error: .*echo.*get-sum/);
    expect(said[0]).toMatch(/the profile dms misses list_dms, read_dm, send_dm/i);
    expect(said[0]).toMatch(/the profile agentdm misses read_messages, send_message/);
    expect(said[1]).toMatch(/^try: .*profile/i);
    expect(it.turnCalls).toEqual([]);
    // The session that was opened there is ended there.
    expect(server.said()).toContain('Session initialized');
    expect(server.said()).toMatch(/session termination|Transport closed/i);
  });

  it('is no empty inbox to a worker that stays: a hold says what is wrong', async () => {
    const server = await startEverything();
    const it = await lab();
    await inboxAt(it, server.url);
    const worker = it.run();
    const line = await worker.says(/on hold, inbox-down: .*echo/);
    expect(line.msg).toContain('misses list_dms');
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  });
});

it('a key that the inbox refuses ends --once with exit code 5, and is not repeated', async () => {
  const it = await lab();
  await writeFile(join(it.folder, '.env'), 'AGENTDM_API_KEY=agentdm_0123456789abcdef\n');
  const worker = it.run(['--once']);
  expect(await worker.ended()).toMatchObject({ exitCode: 5 });
  const said = worker.lines.filter((line) => /^(error|try):/.test(line));
  expect(said).toEqual([expect.stringMatching(/^error: .*key/), expect.stringMatching(/^try: .*\.env/)]);
  expect(worker.lines.join('\n')).not.toContain('agentdm_0123456789abcdef');
});

/** A description in JSON of a vocabulary that is nobody's. */
const PEERS = {
  name: 'peers',
  look: { tool: 'check_messages', items: 'letters', mode: 'drain' },
  message: { id: 'uid', sender: 'author', text: 'body' },
  send: { tool: 'post_letter', arguments: { recipient: '{to}', body: '{text}' }, id: 'uid' },
};

async function peers(options: Parameters<typeof startSmallMcpServer>[1] = {}) {
  const waiting: { uid: string; author: string; body: string }[] = [];
  const sent = new Feed<Record<string, unknown>>();
  const post = (input: Record<string, unknown>): object => {
    sent.add(input);
    return { ok: true, uid: `s${sent.items.length}` };
  };
  const text = { type: 'string' };
  const server = await startSmallMcpServer(
    [
      { name: 'check_messages', properties: {}, call: () => ({ letters: waiting.splice(0) }) },
      { name: 'post_letter', properties: { recipient: text, body: text }, call: post },
    ],
    options,
  );
  ends.push(() => server.close());
  return { server, waiting, sent };
}

async function peersLab(url: string, settings: Record<string, unknown> = {}): Promise<Lab> {
  const it = await lab({ profile: 'peers.json', ...settings });
  await inboxAt(it, url);
  await writeFile(join(it.folder, 'peers.json'), JSON.stringify(PEERS));
  return it;
}

describe('a server of another vocabulary', () => {
  it('is answered through a description in JSON', async () => {
    const { server, waiting, sent } = await peers();
    waiting.push({ uid: 'p1', author: 'carol', body: 'ping from a peer' });
    const it = await peersLab(server.url);
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(sent.items).toEqual([
      { recipient: 'carol', body: expect.stringContaining('ping from a peer') as unknown },
    ]);
    expect(it.turnCalls).toHaveLength(1);
  });

  it('wakes with its MCP notifications where that is switched on', async () => {
    const streams = new Feed<true>();
    const { server, waiting, sent } = await peers({ streams: true, onStream: () => streams.add(true) });
    const it = await peersLab(server.url, { notifications: true, min_sleep: '1h', max_sleep: '1h' });
    const worker = it.run();
    await worker.says(/looked/);
    await streams.first(() => true, 'the standing stream');
    waiting.push({ uid: 'p1', author: 'carol', body: 'ping from a peer' });
    server.notify('notifications/resources/updated');
    await sent.first(() => true, 'the answer');
    await worker.says(/looked, woken by a notification: 1 new message/);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it.turnCalls).toHaveLength(1);
    expect(streams.items).toHaveLength(1);
  });
});
