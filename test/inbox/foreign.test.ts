import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type InboxServer, parseCustomProfile } from '../../src/inbox/index.js';
import { collector, inboxOf, never, outgoing } from './helpers.js';

// The reference server with every feature of MCP, written by others. It has a tool that tells its environment,
// so it gets an empty one.
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const PRELOAD = new URL('../fixtures/inbox/loopback-only.mjs', import.meta.url).href;

async function startEverything(port = 0) {
  const child = spawn(process.execPath, ['--import', PRELOAD, EVERYTHING, 'streamableHttp'], {
    env: { LOOPBACK_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const found = /^port (\d+)$/.exec(line)?.[1];
    if (found !== undefined) {
      child.stdout.resume();
      return { port: Number(found), url: `http://127.0.0.1:${found}/mcp`, stop };
    }
  }
  throw new Error('the everything server ended before it listened');
}

const echoing = (change: object = {}) =>
  parseCustomProfile(
    {
      name: 'everything',
      look: { tool: 'echo', arguments: { message: 'nothing' }, mode: 'peek', empty: ['Echo: nothing'] },
      message: {},
      send: { tool: 'echo', arguments: { message: '{text}' } },
      ...change,
    },
    'a test',
  );

const servers: [string, () => Promise<InboxServer>][] = [
  ['over HTTP', async () => ({ type: 'http', url: (await startEverything()).url })],
  ['as a program', async () => ({ type: 'stdio', command: process.execPath, args: [EVERYTHING] })],
];

describe.each(servers)('a foreign server, %s', (_name, start) => {
  it('is connected and listed, and refused with what it offers and what is missing', async () => {
    const upstream = inboxOf({ url: '' }, { server: await start() });
    const outcome = await upstream.check(never);
    expect(outcome).toMatchObject({ kind: 'unrecognised' });
    const message = 'message' in outcome ? outcome.message : '';
    for (const word of ['echo', 'list_dms, read_dm, send_dm', 'read_messages, send_message'])
      expect(message).toContain(word);
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });

  it('works by description, and its refusal of wrong arguments is a refusal', async () => {
    const server = await start();
    const upstream = inboxOf({ url: '' }, { server, profile: echoing() });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: undefined });
    const adding = echoing({ send: { tool: 'get-sum', arguments: { a: '{text}', b: 1 } } });
    const refused = await inboxOf({ url: '' }, { server, profile: adding }).send(outgoing(), never);
    expect(refused).toMatchObject({ kind: 'refused', message: expect.stringContaining('get-sum') });
  });
});

describe('a foreign server that restarts', () => {
  it('answers 400 to the old session, and is greeted anew', async () => {
    const first = await startEverything();
    const notices: string[] = [];
    const upstream = inboxOf(first, { profile: echoing(), onNotice: (text) => notices.push(text) });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    await first.stop();
    await startEverything(first.port);
    // The first request may die on the connection of the old process.
    const outcome = await upstream.look(collector().spool, never);
    if (outcome.kind !== 'looked')
      expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    else expect(notices).toHaveLength(1);
  });
});
