// The gateway under the real Claude Code.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineFramer } from '../../src/lib/line-framer.js';
import { claudeEnvironment, type ScriptedApi, startScriptedApi } from '../../src/rehearsal/index.js';
import { type RunningGateway, startGateway } from '../gateway/support.js';
import { type ClaudeProcess, startClaude } from '../support/claude-process.js';

let running: RunningGateway;
let home: string;
let claude: ClaudeProcess | undefined;
let api: ScriptedApi | undefined;

beforeEach(async () => {
  running = await startGateway();
  home = await mkdtemp(join(tmpdir(), 'gateway-'));
});

afterEach(async () => {
  await claude?.kill();
  claude = undefined;
  await running.close();
  await api?.close();
  api = undefined;
  await rm(home, { recursive: true, force: true });
});

/** No model is there unless `apiUrl` says where: port 9 answers nobody. */
function start(token: string, apiUrl = 'http://127.0.0.1:9'): ClaudeProcess {
  const entry = { type: 'http', url: running.url, headers: { Authorization: `Bearer ${token}` } };
  const config = JSON.stringify({ mcpServers: { agentdm: entry } });
  const mcp = ['--mcp-config', config, '--strict-mcp-config'];
  const rights = ['--tools', '', '--permission-mode', 'dontAsk', '--allowedTools', 'mcp__agentdm'];
  const environment = { ...claudeEnvironment({ apiUrl, home }), ENABLE_TOOL_SEARCH: 'false' };
  claude = startClaude(environment, home, [...mcp, ...rights]);
  return claude;
}

interface ServerStatus {
  readonly name: string;
  readonly status: string;
  readonly tools?: { readonly name: string }[];
}

/** Asks by control requests, which cost no model call, until the server is no longer pending. */
async function gatewayStatus({ child }: ClaudeProcess): Promise<ServerStatus | undefined> {
  const answers = new Map<string, (response: Record<string, unknown>) => void>();
  const framer = lineFramer({
    onLine: (line) => {
      const frame = JSON.parse(line);
      if (frame.type === 'control_response')
        answers.get(frame.response.request_id)?.(frame.response.response);
    },
  });
  child.stdout?.on('data', (chunk) => framer.push(chunk));
  const ended = once(child, 'close').then(() => Promise.reject(new Error('Claude Code ended')));
  let count = 0;
  const ask = (subtype: string): Promise<Record<string, unknown>> => {
    count += 1;
    const id = `ask-${count}`;
    const answer = new Promise<Record<string, unknown>>((resolve) => answers.set(id, resolve));
    child.stdin?.write(
      `${JSON.stringify({ type: 'control_request', request_id: id, request: { subtype } })}\n`,
    );
    return Promise.race([answer, ended]);
  };
  ended.catch(() => {});
  await ask('initialize');
  for (;;) {
    const { mcpServers } = (await ask('mcp_status')) as { mcpServers: ServerStatus[] };
    const server = mcpServers.find(({ name }) => name === 'agentdm');
    if (server?.status !== 'pending') return server;
  }
}

describe('the real Claude Code', () => {
  it('connects and sees the tools while no conversation is open, without a model call', async () => {
    const server = await gatewayStatus(start('closed-token'));
    expect(server?.status).toBe('connected');
    expect(server?.tools?.map(({ name }) => name)).toEqual([
      'list_dms',
      'read_dm',
      'send_dm',
      'no_reply',
      'task_done',
    ]);
    expect(running.calls).toEqual([]);
    expect(running.errors).toEqual([]);
  });

  it('does not connect with a revoked token', async () => {
    const server = await gatewayStatus(start('revoked-token'));
    expect(server?.status).not.toBe('connected');
  });

  it('reads and answers a message through the tools', async () => {
    api = await startScriptedApi();
    const result = await start('open-token', api.url).turn(
      'Call list_dms. For each conversation with unread messages call read_dm, then answer with send_dm.',
    );
    expect(result).toMatchObject({ subtype: 'success', is_error: false, permission_denials: [] });
    expect(running.calls).toEqual([
      ['list_dms', true],
      ['read_dm', true],
      ['send_dm', true],
    ]);
    expect(running.turns.turn.calls).toEqual([
      'list',
      { with: '@alice', id: undefined, offset: undefined },
      { to: '@alice', text: expect.any(String), interim: false },
    ]);
  });

  it('shows a long message to the model, and not the path of a file', async () => {
    api = await startScriptedApi();
    const text = `${'word '.repeat(20_000)} the very end`;
    running.turns.turn.messages = [{ id: 'm1', sender: '@alice', text, at: 0, nextOffset: undefined }];
    const shown: string[] = [];
    api.setScript((request) => {
      const body = JSON.stringify(request.messages);
      if (!body.includes('tool_result')) {
        const input = { with: '@alice' };
        return { content: [{ type: 'tool_use', name: 'mcp__agentdm__read_dm', input }] };
      }
      shown.push(body);
      return { content: [{ type: 'text', text: 'done' }] };
    });
    await start('open-token', api.url).turn('go');
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain('the very end');
  });
});
