// The agent over the real Claude Code and a scripted model: no key, no cost, nothing but loopback.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findClaude, sessionHolds } from '../../src/agent/index.js';
import { deferred } from '../../src/lib/deferred.js';
import {
  type AnswerBlock,
  claudeEnvironment,
  isMessagesRequest,
  type Script,
} from '../../src/rehearsal/index.js';
import { agentConformance } from '../conformance/agent.js';
import { type AgentRig, agentRig, lives, NEVER, request, sessionOf } from '../support/agent-rig.js';
import { startTestGateway } from '../support/test-gateway.js';

const CLAUDE = fileURLToPath(new URL('../../node_modules/.bin/claude', import.meta.url));
const FRESH = { kind: 'fresh' } as const;

agentConformance('Claude Code', { claudePath: CLAUDE });

let rig: AgentRig;

beforeEach(async () => {
  rig = await agentRig(CLAUDE);
});

afterEach(async () => {
  await rig.close();
  expect(rig.spawned.filter(({ pid }) => lives(pid))).toEqual([]);
});

/** A model that calls these tools, one in each call, and then says “done”. */
function tools(...uses: readonly { readonly name: string; readonly input: object }[]): Script {
  const left = uses.map((use): AnswerBlock => ({ type: 'tool_use', ...use }));
  return () => ({ content: [left.shift() ?? { type: 'text', text: 'done' }] });
}

/** The results of tools that the model has seen so far. */
function toolResults(): string {
  const blocks = rig.api.calls().flatMap(({ body }) => (isMessagesRequest(body) ? body.messages : []));
  return JSON.stringify(blocks.flatMap(({ content }) => (typeof content === 'string' ? [] : content)));
}

function offeredTools(): string[] {
  const body = rig.api.calls().find((call) => call.kind === 'turn')?.body;
  return isMessagesRequest(body) ? (body.tools ?? []).map((tool) => tool.name) : [];
}

async function plant(folder: string, files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const hook = (file: string): object => {
  const hooks = [{ hooks: [{ type: 'command', command: `touch '${file}'` }] }];
  return { SessionStart: hooks, UserPromptSubmit: hooks, Stop: hooks };
};

describe('Claude Code', () => {
  it('is found in node_modules, with its version', async () => {
    const environment = { PATH: '/usr/bin:/bin', HOME: rig.home };
    const found = await findClaude({ environment, cwd: rig.folder, where: 'own' });
    expect(found).toMatchObject({
      support: 'full',
      note: undefined,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('hello'), NEVER);
    expect(agent.facts.version).toBe(found.version);
  });

  it('uses a tool of the gateway within a turn', async () => {
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    rig.api.setScript(tools({ name: 'mcp__inbox__send_dm', input: { to: '@a', message: 'hi' } }));
    const used = new Set<string | undefined>();
    const outcome = await agent.turn(request('go', { onProgress: ({ tool }) => used.add(tool) }), NEVER);
    expect(outcome).toMatchObject({ kind: 'completed', text: 'done', denials: 0, usage: { modelCalls: 2 } });
    expect(rig.gateway.sends).toEqual([{ to: '@a', message: 'hi' }]);
    expect([...used]).toContain('mcp__inbox__send_dm');
  });

  it('reaches the servers that are carried along, too', async () => {
    const docs = await startTestGateway('docs');
    const headers = { Authorization: `Bearer ${docs.issueToken()}` };
    const down = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
    const agent = rig.agent({ otherServers: { docs: { type: 'http', url: docs.url, headers }, down } });
    try {
      await agent.ready(FRESH, NEVER);
      expect(rig.oddities).toEqual(['The MCP server down is failed; Claude works without it.']);
      rig.api.setScript(tools({ name: 'mcp__docs__send_dm', input: { to: '@b' } }));
      expect(await agent.turn(request('go'), NEVER)).toMatchObject({ kind: 'completed', denials: 0 });
      expect(docs.sends).toEqual([{ to: '@b' }]);
    } finally {
      await agent.stop(5_000);
      await docs.close();
    }
  });

  it('charges a turn after a resume only for itself, however the process before had ended', async () => {
    const agent = rig.agent();
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    const costs: number[] = [];
    for (const end of ['clean', 'kill', 'none']) {
      costs.push((await agent.turn(request('the same words'), NEVER)).usage.costUsd);
      if (end === 'clean') await agent.stop(10_000);
      if (end === 'kill') process.kill(agent.facts.pid ?? 0, 'SIGKILL');
      await agent.ready({ kind: 'same', sessionId }, NEVER);
    }
    const [first = 0, ...later] = costs;
    for (const cost of later) {
      expect(cost).toBeGreaterThan(0);
      expect(cost).toBeLessThan(first * 2);
    }
  });

  it('is replaced when its own budget is used up, since it would refuse for ever', async () => {
    const agent = rig.agent({ maxBudgetUsd: 0.000_001 });
    await agent.ready(FRESH, NEVER);
    rig.api.setScript(tools({ name: 'mcp__inbox__send_dm', input: { to: '@a', message: 'hi' } }));
    const first = agent.facts.pid;
    const outcome = await agent.turn(request('go'), NEVER);
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'over-budget' });
    expect(agent.facts.pid).toBeUndefined();
    await agent.ready(FRESH, NEVER);
    expect(agent.facts.pid).not.toBe(first);
  });

  it('tells the kinds of API trouble apart and stays usable', async () => {
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    const seen: string[] = [];
    for (const fault of ['401', '404', '429', '500', '529', 'credit', '400'] as const) {
      rig.api.faults.enqueue({ fault, times: 10 });
      const outcome = await agent.turn(request(`fault ${fault}`), NEVER);
      seen.push(outcome.kind === 'failed' ? outcome.failure : outcome.kind);
      rig.api.faults.clear();
    }
    expect(seen).toEqual([
      'unauthorised',
      'model-unknown',
      'rate-limited',
      'server-error',
      'overloaded',
      'credit-exhausted',
      'request-invalid',
    ]);
    expect(await agent.turn(request('and now?'), NEVER)).toMatchObject({ kind: 'completed' });
    expect(rig.spawned).toHaveLength(1);
  });

  it("knows when a subscription's limit ends, also when it is told only once", async () => {
    const environment = claudeEnvironment({ apiUrl: rig.api.url, home: rig.home, login: 'token' });
    const agent = rig.agent({ environment });
    await agent.ready(FRESH, NEVER);
    const until = Math.floor(Date.now() / 1000 + 3_600) * 1000;
    rig.api.faults.enqueue({ fault: 'unified-limit', resetsAt: until, times: 2 });
    for (const _ of [1, 2]) {
      const outcome = await agent.turn(request('hello'), NEVER);
      expect(outcome).toMatchObject({ kind: 'failed', failure: 'limited', until, promptKept: true });
    }
    expect(await agent.turn(request('hello'), NEVER)).toMatchObject({ kind: 'completed' });
  });

  it('says without a model call that nobody is logged in', async () => {
    const { ANTHROPIC_API_KEY: _, ...environment } = claudeEnvironment({
      apiUrl: rig.api.url,
      home: rig.home,
    });
    const agent = rig.agent({ environment });
    await agent.ready(FRESH, NEVER);
    expect(rig.oddities).toContain('Claude Code says that it is not logged in.');
    expect(await agent.turn(request('hello'), NEVER)).toMatchObject({
      kind: 'failed',
      failure: 'unauthorised',
    });
    expect(rig.api.calls().filter((call) => call.kind === 'turn')).toEqual([]);
  });

  it('is unusable with an option it does not know', async () => {
    const outcome = await rig.agent({ extraArgs: ['--no-such-option'] }).ready(FRESH, NEVER);
    expect(outcome).toMatchObject({
      kind: 'unusable',
      error: {
        code: 'claude-failed',
        message: 'This Claude Code does not know the option --no-such-option.',
      },
    });
  });

  it('ignores a server entry that it does not understand, and is ready all the same', async () => {
    const outcome = await rig
      .agent({ otherServers: { odd: { url: 'http://127.0.0.1:9' } } })
      .ready(FRESH, NEVER);
    expect(outcome).toMatchObject({ kind: 'ready' });
  });

  it('has written a prompt down when progress names the session', async () => {
    const agent = rig.agent();
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    const named = deferred<string>();
    const turn = request('hello', { onProgress: (seen) => seen.sessionId && named.resolve(seen.sessionId) });
    const hold = rig.api.hold();
    const outcome = agent.turn(turn, NEVER);
    expect(await named.promise).toBe(sessionId);
    expect(await sessionHolds({ HOME: rig.home }, sessionId, turn.id)).toBe(true);
    hold.release();
    await outcome;
  });
});

describe('preset answer', () => {
  it('sends a plain message in a small request without any built-in tool', async () => {
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('hello'), NEVER);
    const [call] = rig.api.calls();
    // 2.0 KB when this was written. Of the 8 KB that a whole request may have, the rest is for the gateway's five
    // tools, the system prompt and the message.
    expect(call?.bytes).toBeLessThan(3_000);
    expect(offeredTools()).toEqual(['mcp__inbox__send_dm']);
  });

  it('runs no command, whatever the model and the rules of the user and the folder say', async () => {
    const allow = { permissions: { allow: ['Bash', 'Bash(touch:*)', 'Write', 'Read'] } };
    await plant(rig.home, { '.claude/settings.json': allow });
    await plant(rig.folder, {
      '.claude/settings.json': allow,
      '.claude/settings.local.json': allow,
      '.mcp.json': 'THE-KEY',
    });
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    rig.api.setScript(
      tools(
        { name: 'Bash', input: { command: 'touch made; cat .mcp.json' } },
        { name: 'Write', input: { file_path: join(rig.folder, 'made'), content: 'x' } },
        { name: 'Read', input: { file_path: join(rig.folder, '.mcp.json') } },
      ),
    );
    expect(await agent.turn(request('go'), NEVER)).toMatchObject({ kind: 'completed', text: 'done' });
    expect(existsSync(join(rig.folder, 'made'))).toBe(false);
    expect(toolResults()).not.toContain('THE-KEY');
    expect(toolResults().match(/No such tool available/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it('keeps CLAUDE.md of the folder and runs no hook', async () => {
    await plant(rig.folder, {
      'CLAUDE.md': 'The password of the house is SESAME.',
      '.claude/settings.json': { hooks: hook(join(rig.folder, 'hooked')) },
    });
    await plant(rig.home, { '.claude/settings.json': { hooks: hook(join(rig.folder, 'hooked-by-user')) } });
    const agent = rig.agent();
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('hello'), NEVER);
    expect(rig.histories()[0]).toContain('SESAME');
    expect(existsSync(join(rig.folder, 'hooked'))).toBe(false);
    expect(existsSync(join(rig.folder, 'hooked-by-user'))).toBe(false);
  });
});

describe.each(['read', 'work'] as const)('preset %s', (preset) => {
  it('keeps to the folder, away from its secrets, and runs no command', async () => {
    const rules = { permissions: { allow: ['Bash', 'Write', 'Edit', 'Read'] } };
    await plant(rig.home, { '.claude/settings.json': rules, 'outside.txt': 'FAR-AWAY' });
    const guarded = ['.claude/settings.json', '.mcp.json', 'config/worker.json', 'config/prompts/answer.md'];
    guarded.push('CLAUDE.md', 'CLAUDE.local.md', 'sub/CLAUDE.md');
    await plant(rig.folder, {
      'notes.txt': 'THE-NOTES',
      'CLAUDE.md': 'Be kind.',
      'CLAUDE.local.md': 'Be kind here.',
      'sub/CLAUDE.md': 'Be kind there.',
      'config/worker.json': '{}',
      'config/prompts/answer.md': 'Be kind always.',
      '.env': 'KEY=THE-SECRET',
      'sub/.env': 'KEY=THE-SECRET',
      '.mcp.json': 'THE-SECRET',
      '.claude/settings.json': { hooks: hook(join(rig.folder, 'hooked')) },
    });
    const agent = rig.agent({ preset });
    await agent.ready(FRESH, NEVER);
    const inFolder = (name: string): string => join(rig.folder, name);
    rig.api.setScript(
      tools(
        { name: 'Read', input: { file_path: inFolder('notes.txt') } },
        { name: 'Read', input: { file_path: join(rig.home, 'outside.txt') } },
        ...['.env', 'sub/.env', '.mcp.json'].map((name) => ({
          name: 'Read',
          input: { file_path: inFolder(name) },
        })),
        { name: 'Grep', input: { pattern: 'SECRET|FAR', output_mode: 'content' } },
        { name: 'Grep', input: { pattern: 'FAR', path: rig.home, output_mode: 'content' } },
        { name: 'Bash', input: { command: 'cat .env' } },
        ...['CLAUDE.md', 'sub/CLAUDE.md', 'config/prompts/answer.md'].map((name) => ({
          name: 'Read',
          input: { file_path: inFolder(name) },
        })),
        ...['made.txt', '../outside-made.txt', '.git/hooks/pre-commit', ...guarded].map((name) => ({
          name: 'Write',
          input: { file_path: inFolder(name), content: 'WRITTEN' },
        })),
        { name: 'mcp__inbox__send_dm', input: { to: '@a' } },
      ),
    );
    expect(await agent.turn(request('go'), NEVER)).toMatchObject({ kind: 'completed', text: 'done' });
    expect(toolResults()).toContain('THE-NOTES');
    expect(toolResults()).not.toContain('THE-SECRET');
    expect(toolResults()).not.toContain('FAR-AWAY');
    expect(existsSync(inFolder('made.txt'))).toBe(preset === 'work');
    expect(existsSync(inFolder('../outside-made.txt'))).toBe(false);
    expect(existsSync(inFolder('.git/hooks/pre-commit'))).toBe(false);
    for (const name of guarded) {
      expect(await readFile(inFolder(name), 'utf8'), name).not.toContain('WRITTEN');
    }
    expect(existsSync(inFolder('hooked'))).toBe(false);
    expect(rig.gateway.sends).toEqual([{ to: '@a' }]);
  });
});

describe('preset everything', () => {
  const sandbox = () => ({
    ...claudeEnvironment({ apiUrl: rig.api.url, home: rig.home }),
    // Tests may run as root, in a container made for them.
    IS_SANDBOX: '1',
  });

  it('runs commands, with the hooks of the folder', async () => {
    await plant(rig.folder, { '.claude/settings.json': { hooks: hook(join(rig.folder, 'hooked')) } });
    const agent = rig.agent({ preset: 'everything', environment: sandbox() });
    await agent.ready(FRESH, NEVER);
    rig.api.setScript(tools({ name: 'Bash', input: { command: 'touch made' } }));
    expect(await agent.turn(request('go'), NEVER)).toMatchObject({ kind: 'completed', text: 'done' });
    expect(existsSync(join(rig.folder, 'made'))).toBe(true);
    expect(existsSync(join(rig.folder, 'hooked'))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('leaves no command behind when it is killed', async () => {
    const agent = rig.agent({ preset: 'everything', environment: sandbox() });
    await agent.ready(FRESH, NEVER);
    const script = `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 60000)`;
    rig.api.setScript(tools({ name: 'Bash', input: { command: `'${process.execPath}' -e "${script}"` } }));
    const turn = agent.turn(request('go'), NEVER);
    await expect.poll(() => existsSync(join(rig.folder, 'pid')), { timeout: 20_000 }).toBe(true);
    const pid = Number(await readFile(join(rig.folder, 'pid'), 'utf8'));
    expect(lives(pid)).toBe(true);
    process.kill(agent.facts.pid ?? 0, 'SIGKILL');
    expect(await turn).toMatchObject({ kind: 'died' });
    expect(lives(pid)).toBe(false);
  });
});
