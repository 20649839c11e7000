import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claudeEnvironment,
  isMessagesRequest,
  type ScriptedApi,
  startScriptedApi,
} from '../../src/rehearsal/index.js';
import { type ClaudeProcess, startClaude } from '../support/claude-process.js';
import { type SmallMcpServer, startSmallMcpServer } from '../support/small-mcp-server.js';

const TICK =
  'Call list_dms. For each conversation with unread messages call read_dm, then answer with send_dm.';

let api: ScriptedApi;
let home: string;
let running: ClaudeProcess[];
let mcp: SmallMcpServer | undefined;

beforeEach(async () => {
  api = await startScriptedApi();
  home = await mkdtemp(join(tmpdir(), 'rehearsal-api-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((claude) => claude.kill()));
  await mcp?.close();
  mcp = undefined;
  await api.close();
  await rm(home, { recursive: true, force: true });
});

function claude(args: readonly string[] = [], extra: Record<string, string> = {}): ClaudeProcess {
  const environment = { ...claudeEnvironment({ apiUrl: api.url, home }), ...extra };
  const started = startClaude(environment, home, ['--tools', '', ...args]);
  running.push(started);
  return started;
}

function fenced(id: string, text: string): string {
  return `A new message:\n\n<message-7f3a id="${id}" from="@alice" at="2026-11-30T12:00:00.000Z">\n${text}\n</message-7f3a>`;
}

/** All that Claude Code has written down of its sessions. */
async function transcripts(folder: string): Promise<string> {
  const projects = join(folder, '.claude', 'projects');
  const names = await readdir(projects, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('.jsonl'));
  return (await Promise.all(files.map((name) => readFile(join(projects, name), 'utf8')))).join('');
}

/** The fields that tell what became of each call, in order. */
const outcomes = (): unknown[] => api.calls().map((call) => [call.kind, call.status, call.fault]);

describe('the scripted API under the real Claude Code', () => {
  it('answers a plain turn in one call, at a price, and remembers in the next', async () => {
    const agent = claude();

    const first = await agent.turn(fenced('m1', 'Is the café open on Sunday? 🙂'));
    expect(first).toMatchObject({ subtype: 'success', is_error: false });
    expect(first.result).toContain('“Is the café open on Sunday? 🙂”');
    expect(first.total_cost_usd).toBeGreaterThan(0);
    expect(outcomes()).toEqual([['turn', 200, undefined]]);

    const second = await agent.turn(fenced('m2', 'what did I say first?'));
    expect(second.result).toBe('First you said: “Is the café open on Sunday? 🙂”');
    expect(second.total_cost_usd).toBeGreaterThan(first.total_cost_usd);
    expect(api.total).toBe(2);
    expect(api.calls()[0]?.session).toBe(first.session_id);
  });

  it('streams a long answer whole and in order', async () => {
    const { result = '' } = await claude().turn(fenced('m1', 'long 25000'));
    expect(result).toHaveLength(25_000);
    const numbers = [...result.matchAll(/\d{6}/g)].map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('works off a tick prompt with the tools of an MCP server', async () => {
    mcp = await startSmallMcpServer([
      {
        name: 'list_dms',
        properties: {},
        call: () => ({
          dms: [
            { with: '@alice', unread: 1 },
            { with: '@bob', unread: 0 },
            { with: '@carol', unread: 2 },
          ],
        }),
      },
      {
        name: 'read_dm',
        properties: { with: { type: 'string' } },
        call: (input) => ({
          messages: [{ id: '1', from: input.with, text: `a question of ${input.with}`, at: '' }],
        }),
      },
      {
        name: 'send_dm',
        properties: { to: { type: 'string' }, message: { type: 'string' } },
        call: () => ({ message_id: 's1' }),
      },
    ]);
    const config = JSON.stringify({ mcpServers: { agentdm: { type: 'http', url: mcp.url } } });
    const agent = claude(['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__agentdm']);

    const result = await agent.turn(TICK);

    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'done',
      permission_denials: [],
    });
    expect(mcp.calls.map((call) => [call.name, call.input.with ?? call.input.to])).toEqual([
      ['list_dms', undefined],
      ['read_dm', '@alice'],
      ['send_dm', '@alice'],
      ['read_dm', '@carol'],
      ['send_dm', '@carol'],
    ]);
    expect(mcp.calls.at(-1)?.input.message).toContain('“a question of @carol”');
    expect(api.total).toBe(6);
  });

  it('is overloaded once, then answers', async () => {
    api.faults.enqueue({ fault: '529' });
    const agent = claude([], { CLAUDE_CODE_MAX_RETRIES: '2' });

    const result = await agent.turn(fenced('m1', 'hello'));

    expect(result).toMatchObject({ is_error: false });
    expect(outcomes()).toEqual([
      ['turn', 529, '529'],
      ['turn', 200, undefined],
    ]);
    const retries = agent.frames.filter((frame) => frame.subtype === 'api_retry');
    expect(retries).toMatchObject([{ error_status: 529, error: 'overloaded' }]);
  });

  it('is cut off in the middle of an answer; Claude Code asks again', async () => {
    api.faults.enqueue({ fault: 'cut' });
    const result = await claude([], { CLAUDE_CODE_MAX_RETRIES: '2' }).turn(fenced('m1', 'hello'));
    expect(result).toMatchObject({ is_error: false });
    expect(outcomes()).toEqual([
      ['turn', 200, 'cut'],
      ['turn', 200, undefined],
    ]);
  });

  it('plays a subscription limit that ends the turn at once and says when it ends', async () => {
    const resetsAt = 1_900_000_000_000;
    api.faults.enqueue({ fault: 'unified-limit', resetsAt });
    const started = startClaude(claudeEnvironment({ apiUrl: api.url, home, login: 'token' }), home, [
      '--tools',
      '',
    ]);
    running.push(started);

    const result = await started.turn(fenced('m1', 'hello'));

    expect(result).toMatchObject({ is_error: true, api_error_status: 429 });
    expect(api.total).toBe(1);
    expect(started.frames.filter((frame) => frame.type === 'rate_limit_event')).toMatchObject([
      { rate_limit_info: { status: 'rejected', resetsAt: resetsAt / 1000, rateLimitType: 'five_hour' } },
    ]);
  });

  it('holds a call in mid-turn: Claude Code is killed there, resumed, and goes on with the same message', async () => {
    const held = api.hold();
    const first = claude();
    const lost = first.turn(fenced('m1', 'a question worth keeping')).catch(() => 'killed');
    const call = await held.reached;
    // The program writes the prompt to its transcript a few milliseconds after it has asked the model.
    await expect.poll(() => transcripts(home)).toContain('a question worth keeping');
    await first.kill();
    expect(await lost).toBe('killed');
    held.release();

    const again = claude(['--resume', call.session ?? '']);
    const result = await again.turn('Continue: your turn on message m1 was cut off before it was answered.');

    expect(result.result).toContain('“a question worth keeping”');
    expect(call.outcome).toBe('abandoned');
    expect(api.total).toBe(2);
  });

  it('tells a compaction from a turn', async () => {
    const agent = claude();
    await agent.turn(fenced('m1', 'hello'));
    await agent.turn('/compact');
    expect(api.calls().map((call) => call.kind)).toEqual(['turn', 'side']);
    expect(isMessagesRequest(api.calls()[1]?.body)).toBe(true);
  });
});
