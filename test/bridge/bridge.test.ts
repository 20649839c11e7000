// The bridge on streams: what passes, what is made again after a forgotten session, and what never is.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { type FakeServer, type FakeTool, startFakeServer, textResult } from '../inbox/fake-server.js';
import { KEY, type Rig, startRig } from './rig.js';

const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

/** A reader that says so, a sender with an idempotency key, and one that takes any argument and knows none. */
function tools(): FakeTool[] {
  const reader = {
    name: 'list',
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: () => 'a list',
  };
  return [
    reader,
    { name: 'send', inputSchema: object('to', 'idempotency_key'), call: () => ({ message_id: 'm1' }) },
    { name: 'post', inputSchema: object('to'), call: () => textResult('not today', true) },
  ];
}

async function rigged(options?: Parameters<typeof startRig>[1]): Promise<{ server: FakeServer; rig: Rig }> {
  const server = await startFakeServer({ tools: tools() });
  return { server, rig: await startRig(server.url, options) };
}

const calls = (server: FakeServer): string[] => server.log.filter((line) => /^call |^initialize$/.test(line));

/** The next call of this tool is answered by `how` instead; a ping before it is not. */
function onceAt(server: FakeServer, tool: string, how: (response: ServerResponse) => void) {
  let met = false;
  server.intercept = (rpc, response) => {
    if (met || rpc.method !== 'tools/call' || rpc.params?.name !== tool) return false;
    met = true;
    how(response);
    return true;
  };
}

const forget = (response: ServerResponse): void => {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }),
  );
};

describe('what passes', () => {
  it('tools as they are, results as they are, a tool error as a result', async () => {
    const { server, rig } = await rigged();
    const listed = await rig.ask('tools/list');
    expect(listed.result).toEqual({
      tools: server.tools.map(({ call: _, ...tool }) => tool),
    });
    expect((await rig.call('send', { to: '@a' })).result?.content).toEqual([
      { type: 'text', text: '{"message_id":"m1"}' },
    ]);
    expect((await rig.call('post', {})).result).toMatchObject({ isError: true });
    expect(server.headers.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
  });

  it("the inbox's own error: code, words and data", async () => {
    const { server, rig } = await rigged();
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/call') return false;
      const error = { code: -32_602, message: 'There is no tool nothing.', data: { near: 'list' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error }));
      return true;
    };
    expect((await rig.call('nothing')).error).toEqual({
      code: -32_602,
      message: 'There is no tool nothing.',
      data: { near: 'list' },
    });
    expect(rig.log.join()).not.toContain('no tool nothing');
  });

  it("the client's cancelling of a call", async () => {
    const { server, rig } = await rigged();
    let heard = (): void => {};
    const cancelled = new Promise<void>((resolve) => {
      heard = resolve;
    });
    let held = (): void => {};
    const holding = new Promise<void>((resolve) => {
      held = resolve;
    });
    server.intercept = (rpc) => {
      if (rpc.method === 'notifications/cancelled') heard();
      if (rpc.method === 'tools/call') held();
      return rpc.method === 'tools/call';
    };
    const requestId = rig.send('tools/call', { name: 'list', arguments: {} });
    await holding;
    rig.notify('notifications/cancelled', { requestId });
    await cancelled;
    expect((await rig.ask('ping')).result).toEqual({});
    expect(rig.answers.items.some(({ id }) => id === requestId)).toBe(false);
  });
});

describe('a forgotten session', () => {
  it('is made anew, and a read-only call repeated once', async () => {
    const { server, rig } = await rigged();
    server.sessions.clear();
    expect((await rig.call('list')).result).toMatchObject({ content: [{ text: 'a list' }] });
    expect(calls(server)).toEqual(['initialize', 'call list', 'initialize', 'call list']);
  });

  it('that is forgotten again at once is an error, not a loop', async () => {
    const { server, rig } = await rigged();
    server.intercept = (rpc, response) => {
      if (rpc.method !== 'tools/call') return false;
      forget(response);
      return true;
    };
    expect((await rig.call('list')).error?.message).toMatch(/no longer knows the session \(HTTP 404\)/);
    expect(calls(server)).toEqual(['initialize', 'call list', 'initialize', 'call list']);
  });

  it('is noticed before a send, which is then made once', async () => {
    const { server, rig } = await rigged();
    server.sessions.clear();
    expect((await rig.call('send', { to: '@a' })).result).toBeDefined();
    expect(calls(server)).toEqual(['initialize', 'initialize', 'call send']);
  });

  it('right before a send: not repeated, and the error says what to do', async () => {
    const { server, rig } = await rigged();
    onceAt(server, 'send', forget);
    const { error } = await rig.call('send', { to: '@a' });
    expect(error?.message).toMatch(
      /^The inbox at http:\/\/127.0.0.1:\d+\/mcp no longer knows the session \(HTTP 404\)\. send was not carried out, and not repeated: call it again\.$/,
    );
    expect(calls(server)).toEqual(['initialize', 'call send']);
    expect((await rig.call('send', { to: '@a' })).result).toBeDefined();
    expect(calls(server)).toEqual(['initialize', 'call send', 'initialize', 'call send']);
  });

  it('right before a send with an idempotency key: repeated; an unknown argument of that name is no key', async () => {
    const { server, rig } = await rigged();
    onceAt(server, 'send', forget);
    expect((await rig.call('send', { to: '@a', idempotency_key: 'k' })).result).toBeDefined();
    onceAt(server, 'post', forget);
    expect((await rig.call('post', { to: '@a', idempotency_key: 'k' })).error?.message).toContain(
      'not repeated',
    );
    expect(calls(server).filter((line) => line !== 'initialize')).toEqual([
      'call send',
      'call send',
      'call post',
    ]);
  });
});

describe('a broken connection', () => {
  it('in the middle of a send: not repeated, and nobody claims to know', async () => {
    const { server, rig } = await rigged();
    onceAt(server, 'send', (response) => response.destroy());
    const { error } = await rig.call('send', { to: '@a' });
    expect(error?.message).toContain('Whether send was carried out is not known, so it was not repeated');
    expect(calls(server)).toEqual(['initialize', 'call send']);
  });

  it('in the middle of a read: repeated', async () => {
    const { server, rig } = await rigged();
    onceAt(server, 'list', (response) => response.destroy());
    expect((await rig.call('list')).result).toBeDefined();
  });

  it('an answer that never comes ends at the limit, in a sentence', async () => {
    const { server, rig } = await rigged({ limitMs: 150 });
    onceAt(server, 'send', () => {});
    expect((await rig.call('send')).error?.message).toContain('did not answer within 0.15 s.');
    expect((await rig.call('send')).result).toBeDefined();
  });

  it('a server that is away is named, and is found again when it is back', async () => {
    const { server, rig } = await rigged();
    const port = Number(new URL(server.url).port);
    await server.close();
    expect((await rig.call('list')).error?.message).toMatch(/is not reachable \(ECONNREFUSED\)\.$/);
    await startFakeServer({ tools: tools(), port });
    expect((await rig.call('list')).result).toBeDefined();
    expect((await rig.call('send')).result).toBeDefined();
  });
});

describe('errors are sentences', () => {
  it.each([
    [
      401,
      'refused the key (HTTP 401): check it. An inbox that wants an OAuth login is reached with mcp-remote',
    ],
    [429, 'asks to wait (HTTP 429)'],
    [500, 'answered HTTP 500.'],
    [418, 'answered HTTP 418. Is this the address of an MCP server?'],
  ])('HTTP %i', async (status, words) => {
    const { server, rig } = await rigged();
    server.intercept = (_, response) => {
      response.writeHead(status).end();
      return true;
    };
    const { error } = await rig.call('list');
    expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining(words) });
    expect([...rig.lines, ...rig.log].join()).not.toContain(KEY);
  });

  it('no MCP at all', async () => {
    const { server, rig } = await rigged();
    server.intercept = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return true;
    };
    expect((await rig.call('list')).error?.message).toContain('something that is not MCP');
  });

  it('an inbox that cannot be found: what the finder says, and what to try', async () => {
    const rig = await startRig('', {
      find: () =>
        Promise.reject(new WorkerError('not-running', 'No inbox is running.', { hint: 'Start one.' })),
    });
    for (const method of ['tools/list', 'tools/call']) {
      expect((await rig.ask(method, { name: 'list' })).error?.message).toBe(
        'No inbox is running. Start one.',
      );
    }
  });
});

describe('tools that could not be listed', () => {
  it('are announced when the inbox is there', async () => {
    const server = await startFakeServer({ tools: tools() });
    let there = false;
    const rig = await startRig(server.url, {
      seek: { firstMs: 5, mostMs: 10 },
      find: async () => {
        if (!there) throw new WorkerError('not-running', 'No inbox is running.');
        return { url: server.url, headers: {} };
      },
    });
    expect((await rig.ask('tools/list')).error).toBeDefined();
    there = true;
    await rig.answers.first(
      ({ method }) => method === 'notifications/tools/list_changed',
      'the announcement',
    );
    expect((await rig.ask('tools/list')).result?.tools).toHaveLength(3);
  });

  it('are announced when a new session offers others', async () => {
    const { server, rig } = await rigged();
    await rig.ask('tools/list');
    server.tools = server.tools.slice(0, 1);
    server.sessions.clear();
    await rig.call('list');
    await rig.answers.first(
      ({ method }) => method === 'notifications/tools/list_changed',
      'the announcement',
    );
    expect((await rig.ask('tools/list')).result?.tools).toHaveLength(1);
  });
});

describe('the end', () => {
  it('of the input lets answers under way come, then ends the session and every connection', async () => {
    const { server, rig } = await rigged();
    let answer = (): void => {};
    const holding = new Promise<void>((resolve) => {
      server.intercept = (rpc, response) => {
        if (rpc.method !== 'tools/call') return false;
        answer = () => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: textResult('late') }));
        };
        resolve();
        return true;
      };
    });
    const id = rig.send('tools/call', { name: 'list', arguments: {} });
    rig.input.end();
    await holding;
    answer();
    await rig.ended;
    expect(rig.answers.items.find((item) => item.id === id)?.result).toEqual(textResult('late'));
    expect(server.log.at(-1)).toBe('DELETE');
    expect(server.sessions.size).toBe(0);
  });

  it('by order cuts what runs', async () => {
    const stop = new AbortController();
    const { server, rig } = await rigged({ stop: stop.signal });
    const holding = new Promise<void>((resolve) => {
      server.intercept = (rpc) => {
        if (rpc.method === 'tools/call') resolve();
        return rpc.method === 'tools/call';
      };
    });
    rig.send('tools/call', { name: 'list', arguments: {} });
    await holding;
    stop.abort();
    await rig.ended;
    expect(server.sessions.size).toBe(0);
  });

  it('a line that is no message is skipped, and not quoted in the log', async () => {
    const { rig } = await rigged();
    rig.input.write('{"secret words": tru\n');
    expect((await rig.ask('ping')).result).toEqual({});
    expect(rig.log.join()).not.toContain('secret words');
    for (const line of rig.lines) expect(JSON.parse(line).jsonrpc).toBe('2.0');
  });
});
