import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { deferred } from '../../src/lib/deferred.js';
import { AT, type RunningGateway, startGateway } from './support.js';

let running: RunningGateway;
let clients: Client[];

beforeEach(async () => {
  running = await startGateway();
  clients = [];
});

afterEach(async () => {
  for (const client of clients) await client.close();
  await running.close();
});

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
  clients.push(client);
  return client;
}

/** The text of the result; marked when it is an error. */
async function call(client: Client, name: string, args?: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, ...(args ? { arguments: args } : {}) });
  const content = result.content as { type: string; text: string }[];
  expect(content).toHaveLength(1);
  expect(result.structuredContent).toBeUndefined();
  return `${result.isError ? 'error: ' : ''}${content[0]?.text}`;
}

describe('with an open turn', () => {
  let client: Client;
  beforeEach(async () => {
    client = await connect('open-token');
  });

  it('introduces itself by the given name', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'agentdm', version: '1.2.3' });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getInstructions()).toBeUndefined();
  });

  it('lists the five tools in few bytes', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'list_dms',
      'read_dm',
      'send_dm',
      'no_reply',
      'task_done',
    ]);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(1600);
    expect(tools.find((tool) => tool.name === 'send_dm')?.inputSchema).toEqual({
      type: 'object',
      properties: {
        to: { type: 'string', minLength: 1 },
        message: { type: 'string' },
        interim: { type: 'boolean' },
      },
      required: ['to', 'message'],
    });
    expect(tools.filter((tool) => tool.annotations?.readOnlyHint).map((tool) => tool.name)).toEqual([
      'list_dms',
      'read_dm',
    ]);
    expect(tools.map((tool) => tool._meta)).toEqual([
      undefined,
      { 'anthropic/maxResultSizeChars': 500_000 },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('list_dms answers in the shape of the dms vocabulary', async () => {
    expect(JSON.parse(await call(client, 'list_dms'))).toEqual({
      dms: [{ with: '@alice', unread: 2, last_at: '2026-11-30T12:00:00.000Z' }],
    });
  });

  it('read_dm answers in the shape of the dms vocabulary', async () => {
    expect(JSON.parse(await call(client, 'read_dm', { with: '@alice' }))).toEqual({
      messages: [
        { id: 'm1', from: '@alice', text: 'Grüße 🙂 "quoted"', at: '2026-11-30T12:00:00.000Z' },
        { id: 'm2', from: '@alice', text: 'long', at: '2026-11-30T12:00:00.000Z', next_offset: 4 },
      ],
    });
    await call(client, 'read_dm', { with: '@alice', id: 'm2', offset: 4 });
    expect(running.turns.turn.calls).toEqual([
      { with: '@alice', id: undefined, offset: undefined },
      { with: '@alice', id: 'm2', offset: 4 },
    ]);
  });

  it('leaves a time out that is none', async () => {
    running.turns.turn.dms = [{ with: '@alice', unread: 1, lastAt: Number.NaN }];
    expect(await call(client, 'list_dms')).toBe('{"dms":[{"with":"@alice","unread":1}]}');
  });

  it('send_dm hands the text on as it is and answers with the id', async () => {
    const text = '  line one\n"two" 🙂\n'.repeat(5000);
    expect(await call(client, 'send_dm', { to: '@alice', message: text })).toBe('{"message_id":"o1"}');
    await call(client, 'send_dm', { to: '@alice', message: 'on it', interim: true });
    expect(running.turns.turn.calls).toEqual([
      { to: '@alice', text, interim: false },
      { to: '@alice', text: 'on it', interim: true },
    ]);
  });

  it('send_dm takes what the dms vocabulary knows besides, and nulls', async () => {
    const args = {
      to: '@alice',
      message: 'x',
      interim: null,
      reply_to: 'm1',
      idempotency_key: 'k',
      other: 1,
    };
    expect(await call(client, 'send_dm', args)).toBe('{"message_id":"o1"}');
    expect(running.turns.turn.calls).toEqual([{ to: '@alice', text: 'x', interim: false }]);
  });

  it('send_dm says when an earlier try had sent it', async () => {
    running.turns.turn.sent = { kind: 'accepted', messageId: 'first', repeated: true };
    expect(JSON.parse(await call(client, 'send_dm', { to: '@alice', message: 'x' }))).toMatchObject({
      message_id: 'first',
      repeated: true,
    });
  });

  it('no_reply and task_done are noted', async () => {
    expect(await call(client, 'no_reply')).toBe('{"noted":"no reply will be sent"}');
    expect(await call(client, 'task_done', {})).toBe('{"noted":"the session ends with this turn"}');
    expect(running.turns.turn.calls).toEqual(['noReply', 'taskDone']);
  });

  it('a refusal reaches Claude as a sentence', async () => {
    const { turn } = running.turns;
    turn.sent = { kind: 'refused', message: 'sends to @bob are not allowed' };
    turn.noted = { kind: 'refused', message: 'a reply was already sent' };
    expect(await call(client, 'read_dm', { with: '@bob' })).toBe('error: no conversation with @bob');
    expect(await call(client, 'send_dm', { to: '@bob', message: 'x' })).toBe(
      'error: sends to @bob are not allowed',
    );
    expect(await call(client, 'no_reply')).toBe('error: a reply was already sent');
    expect(await call(client, 'task_done')).toBe('error: a reply was already sent');
    expect(running.calls).toEqual([
      ['read_dm', false],
      ['send_dm', false],
      ['no_reply', false],
      ['task_done', false],
    ]);
    expect(running.errors).toEqual([]);
  });

  it.each([
    ['read_dm', {}, /^error: read_dm was not done: with: .*It takes \{with, id\?, offset\?\}\.$/],
    ['read_dm', { with: '' }, /with: /],
    ['read_dm', { with: 7 }, /with: .*string/],
    ['read_dm', { with: '@alice', offset: -1 }, /offset: /],
    ['read_dm', { with: '@alice', offset: 1.5 }, /offset: must be a whole number/],
    ['read_dm', { with: '@alice', offset: '4' }, /offset: .*number/],
    ['send_dm', { to: '@alice' }, /^error: send_dm was not done: message: .*\{to, message, interim\?\}\.$/],
    ['send_dm', { to: '@alice', message: ' \n' }, /message: must not be empty/],
    ['send_dm', { to: ['@alice'], message: 'x' }, /to: /],
    ['send_dm', { to: '@alice', message: 'x', interim: 'yes' }, /interim: /],
  ])('%s %j is refused with a sentence and reaches no turn', async (name, args, sentence) => {
    expect(await call(client, name, args)).toMatch(sentence);
    expect(running.turns.turn.calls).toEqual([]);
    expect(running.calls).toEqual([[name, false]]);
  });

  it('an unknown tool is answered with those there are', async () => {
    expect(await call(client, 'Bash', { command: 'ls' })).toBe(
      'error: there is no tool of that name; there are list_dms, read_dm, send_dm, no_reply, task_done',
    );
    expect(running.calls).toEqual([['unknown', false]]);
  });

  it('a failure inside is a sentence for Claude and a cause for the log', async () => {
    const { turn } = running.turns;
    turn.failure = new Error('SQLITE_IOERR at /secret/path');
    const failed = await call(client, 'list_dms');
    expect(failed).toBe('error: the inbox failed; the worker logged why');
    turn.failure = new WorkerError('lease-lost', 'Another worker holds this inbox.');
    expect(await call(client, 'list_dms')).toBe('error: Another worker holds this inbox.');
    expect(running.errors).toHaveLength(2);
    turn.failure = undefined;
    expect(await call(client, 'list_dms')).toContain('@alice');
  });

  it('calls may run side by side', async () => {
    const gate = deferred();
    running.turns.turn.gate = gate.promise;
    const calls = Array.from({ length: 20 }, () => call(client, 'list_dms'));
    gate.resolve();
    expect(new Set(await Promise.all(calls)).size).toBe(1);
    expect(running.turns.turn.calls).toHaveLength(20);
  });
});

describe('outside a claim', () => {
  it('connects and lists its tools, and each call is refused with a sentence', async () => {
    const client = await connect('closed-token');
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(5);
    for (const { name } of tools) {
      const args = { with: '@alice', to: '@alice', message: 'x' };
      expect(await call(client, name, args)).toMatch(/^error: no conversation is open: /);
    }
    expect(running.turns.turn.calls).toEqual([]);
    expect(running.calls).toEqual(tools.map(({ name }) => [name, false]));
  });

  it('the same client works when a turn opens, and not any more when it has closed', async () => {
    const client = await connect('closed-token');
    running.turns.tokens.set('closed-token', running.turns.turn);
    expect(await call(client, 'list_dms')).toContain('@alice');
    running.turns.tokens.set('closed-token', 'closed');
    expect(await call(client, 'list_dms')).toContain('no conversation is open');
  });
});

describe('a token that is not ours', () => {
  it('does not connect', async () => {
    await expect(connect('foreign')).rejects.toMatchObject({ code: 401 });
  });

  it('stops working when it is revoked', async () => {
    const client = await connect('open-token');
    running.turns.tokens.delete('open-token');
    await expect(client.listTools()).rejects.toMatchObject({ code: 401 });
    await expect(client.callTool({ name: 'list_dms' })).rejects.toMatchObject({ code: 401 });
    expect(running.turns.turn.calls).toEqual([]);
  });
});

describe('onCall', () => {
  it('tells how long a call took, by the given clock', async () => {
    await running.close();
    let now = AT;
    const told: unknown[] = [];
    const onCall = (...call: unknown[]) => told.push(call);
    running = await startGateway({ clock: { now: () => now }, onCall });
    const { turn } = running.turns;
    const gate = deferred();
    turn.gate = gate.promise;
    const client = await connect('open-token');
    const list = turn.list.bind(turn);
    turn.list = () => {
      now += 250;
      gate.resolve();
      return list();
    };
    await call(client, 'list_dms');
    expect(told).toEqual([['list_dms', 250, true]]);
  });
});
