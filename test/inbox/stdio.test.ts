import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProgramTransport } from '../../src/inbox/program-transport.js';
import { processStart } from '../../src/lib/process-identity.js';
import { clock, collector, inboxOf, never, outgoing } from './helpers.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/inbox/stdio-server.mjs', import.meta.url));
const program = (...args: string[]) =>
  ({
    type: 'stdio',
    command: process.execPath,
    args: [PROGRAM, ...args],
    env: { INBOX_KEY: 'agentdm_feedc0ffee' },
  }) as const;

const stdioInbox = (server: Parameters<typeof inboxOf>[1] & object) =>
  inboxOf({ url: '' }, { clock, ...server });

const isAlive = (pid: number): boolean => processStart(pid) !== undefined;

describe('an inbox that is a program', () => {
  it.each(['plain', 'noisy'])('is looked at and sent through (%s)', async (way) => {
    const upstream = stdioInbox({ server: program(way) });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toMatchObject([{ id: 'm1', sender: '@alice', text: 'hello' }]);
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
  });

  it('that cannot be started is down, and a send waits', async () => {
    const upstream = stdioInbox({ server: { type: 'stdio', command: '/nowhere/inbox' } });
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('could not be started (ENOENT)'),
    });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'later' });
  });

  it('that never answers is down, with its last words', async () => {
    const upstream = stdioInbox({ server: program('deaf'), callTimeoutMs: 1_500 });
    expect(await upstream.check(never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('Please log in at https://login.example/'),
    });
  });

  it('that dies in a call makes the send unsure, and is started anew', async () => {
    const upstream = stdioInbox({ server: program('die-in-call') });
    await upstream.check(never);
    expect(await upstream.send(outgoing(), never)).toMatchObject({
      kind: 'unsure',
      message: expect.stringContaining('out of memory'),
    });
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toHaveLength(1);
  });
});

describe('the program itself', () => {
  async function started(...args: string[]) {
    const transport = new ProgramTransport(program(...args));
    onTestFinished(() => transport.close());
    const answers: Record<string, unknown>[] = [];
    let next: (() => void) | undefined;
    transport.onmessage = (message) => {
      answers.push(message as unknown as Record<string, unknown>);
      next?.();
    };
    await transport.start();
    const call = async (name: string): Promise<Record<string, unknown>> => {
      const answered = new Promise<void>((resolve) => {
        next = resolve;
      });
      await transport.send({
        jsonrpc: '2.0',
        id: answers.length + 1,
        method: 'tools/call',
        params: { name },
      });
      await answered;
      const result = answers.at(-1)?.result as { content: [{ text: string }] };
      return JSON.parse(result.content[0].text);
    };
    return { transport, call };
  }

  it('sees its own variables and not ours', async () => {
    process.env.FOREIGN = 'secret of ours';
    onTestFinished(() => {
      delete process.env.FOREIGN;
    });
    const { call } = await started();
    expect(await call('send_message')).toEqual({ message_id: 's1', seen: 'agentdm_feedc0ffee' });
  });

  it('runs in a process group of its own, so that a Ctrl-C of ours does not reach it', async () => {
    const { call } = await started();
    const { pid } = await call('list_channels');
    // The group's leader is the program itself.
    expect(() => process.kill(-Number(pid), 0)).not.toThrow();
  });

  it('ends when its stdin ends', async () => {
    const { transport, call } = await started();
    const { pid } = await call('list_channels');
    await transport.close();
    expect(isAlive(Number(pid))).toBe(false);
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('Not connected');
    await transport.close();
  });

  it('is ended with its whole group when it stays', async () => {
    const { transport, call } = await started('child');
    const { pid } = await call('list_channels');
    const child = Number(/child (\d+)/.exec(transport.lastWords)?.[1]);
    expect(isAlive(child)).toBe(true);
    await transport.close();
    expect([isAlive(Number(pid)), isAlive(child)]).toEqual([false, false]);
  });
});

const MODERN = fileURLToPath(new URL('../fixtures/inbox/modern-program.mjs', import.meta.url));

describe('a program that speaks only the newer era of MCP', () => {
  const modern = (...args: string[]) =>
    ({ type: 'stdio', command: process.execPath, args: [MODERN, ...args] }) as const;

  it('is greeted the old way, started anew for the new one, and remembered', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modern-program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const log = join(folder, 'log');
    const upstream = stdioInbox({ server: modern('plain', log) });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(upstream.protocol).toBe('MCP 2026-07-28');
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toMatchObject([{ id: 'm1', sender: '@alice', text: 'hello' }]);
    expect(await upstream.send(outgoing(), never)).toEqual({ kind: 'sent', upstreamId: 's1' });
    expect(await readFile(log, 'utf8')).toBe('started\nstarted\n');
  });

  it('that dies in a call is started once for the next one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modern-program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const log = join(folder, 'log');
    const upstream = stdioInbox({ server: modern('die-in-call', log) });
    expect(await upstream.check(never)).toMatchObject({ kind: 'down' });
    expect(await upstream.check(never)).toMatchObject({ kind: 'down' });
    // Twice to learn its era, once for the second call.
    expect(await readFile(log, 'utf8')).toBe('started\n'.repeat(3));
  });

  it('that dies when it is asked what it speaks is down, with its last words', async () => {
    const upstream = stdioInbox({ server: modern('die-when-asked') });
    expect(await upstream.check(never)).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('no licence'),
    });
  });

  it('that ends while it is listened to is a gap: somebody must look', async () => {
    const announced = vi.fn();
    const upstream = stdioInbox({ server: modern('die-after-listening'), onAnnounced: announced });
    await upstream.check(never);
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1), 10_000);
  });

  it('announces through its subscription', async () => {
    const announced = vi.fn();
    const notices: string[] = [];
    const onNotice = (text: string): void => void notices.push(text);
    const upstream = stdioInbox({ server: modern(), onAnnounced: announced, onNotice });
    await upstream.check(never);
    await vi.waitFor(async () => {
      await upstream.send(outgoing(), never);
      expect(announced).toHaveBeenCalled();
    });
    expect(notices).toEqual([]);
  });
});

it('an old program is asked nothing that it does not know', async () => {
  const upstream = stdioInbox({ server: program('strict') });
  expect(await upstream.check(never)).toEqual({ kind: 'looked' });
  expect(upstream.protocol).toBe('MCP 2025-11-25');
});

it('an old program that refuses its greeting is told of in its own words, whatever it makes of the newer one', async () => {
  const upstream = stdioInbox({ server: program('unlicensed'), callTimeoutMs: 1_000 });
  expect(await upstream.check(never)).toMatchObject({
    kind: 'unrecognised',
    message: expect.stringContaining('the licence has run out'),
  });
});
