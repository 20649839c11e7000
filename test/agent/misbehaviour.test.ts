// What the agent makes of a Claude Code that does not behave: one stand-in for each fault.
import { readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaudeAgentOptions } from '../../src/agent/index.js';
import type { Agent } from '../../src/ports/agent.js';
import { type AgentRig, agentRig, lives, NEVER, request, sessionOf } from '../support/agent-rig.js';
import { fakeClaude } from './fakes.js';

let rig: AgentRig;

beforeEach(async () => {
  rig = await agentRig(fakeClaude('well-behaved'));
});

afterEach(async () => {
  await rig.close();
  expect(rig.spawned.filter(({ pid }) => lives(pid))).toEqual([]);
  expect([...rig.gateway.valid]).toEqual([]);
});

function agentOver(fake: string, overrides: Partial<ClaudeAgentOptions> = {}): Agent {
  return rig.agent({ claudePath: fakeClaude(fake), ...overrides });
}

/** With environment variables for the stand-in. */
function withVariables(variables: Record<string, string>): Pick<ClaudeAgentOptions, 'environment'> {
  return {
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: rig.home,
      ANTHROPIC_BASE_URL: rig.api.url,
      ...variables,
    },
  };
}

const FRESH = { kind: 'fresh' } as const;

describe('a turn', () => {
  it('that gives no result even when interrupted ends with the process, SIGTERM or not', async () => {
    const agent = agentOver('stuck', { timings: { interruptMs: 100 } });
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    const { pid } = agent.facts;
    const outcome = await agent.turn(request('hello', { silenceMs: 200 }), NEVER);
    expect(outcome).toMatchObject({ kind: 'timed-out', limit: 'silence', promptKept: true, sessionId });
    expect(lives(pid)).toBe(false);
    expect(agent.facts.pid).toBeUndefined();
  });

  it('that is called off and gives no result ends with the process too', async () => {
    const agent = agentOver('stuck', { timings: { interruptMs: 100 } });
    await agent.ready(FRESH, NEVER);
    const { pid } = agent.facts;
    const outcome = await agent.turn(request('hello'), AbortSignal.timeout(200));
    expect(outcome).toMatchObject({ kind: 'interrupted', promptKept: true });
    expect(lives(pid)).toBe(false);
  });

  it('in which Claude dies says how, without secrets', async () => {
    const agent = agentOver('dies-mid-turn');
    await agent.ready(FRESH, NEVER);
    const outcome = await agent.turn(request('hello'), NEVER);
    expect(outcome).toMatchObject({ kind: 'died', promptKept: true });
    expect(outcome).toHaveProperty('message', 'exit code 7: panic: out of luck (Bearer [redacted])');
    expect(await agent.turn(request('hello'), NEVER)).toMatchObject({ kind: 'died', promptKept: false });
    expect(await readFile(rig.stderrLog, 'utf8')).toContain('panic: out of luck (Bearer [redacted])');
    await agent.ready(FRESH, NEVER);
    expect(rig.oddities).toEqual([]);
  });

  it('whose prompt can no longer be written is a death', async () => {
    const agent = agentOver('deaf-stdin');
    await agent.ready(FRESH, NEVER);
    const { pid } = agent.facts;
    // Longer than a pipe holds, so that the write itself is noticed.
    const outcome = await agent.turn(request('x'.repeat(1_000_000)), NEVER);
    expect(outcome).toMatchObject({ kind: 'died', promptKept: false });
    expect(lives(pid)).toBe(false);
  });

  it('takes a prompt of many megabytes', async () => {
    const agent = agentOver('well-behaved');
    await agent.ready(FRESH, NEVER);
    const prompt = `${'é'.repeat(3_000_000)}END`;
    expect(await agent.turn(request(prompt), NEVER)).toMatchObject({ kind: 'completed' });
    expect(rig.histories().at(-1)).toContain('éEND');
  });

  it('is over once, even when its result comes twice', async () => {
    const agent = agentOver('result-twice');
    await agent.ready(FRESH, NEVER);
    expect(await agent.turn(request('one'), NEVER)).toHaveProperty('text', expect.stringContaining('“one”'));
    expect(await agent.turn(request('two'), NEVER)).toHaveProperty('text', expect.stringContaining('“two”'));
    expect(rig.oddities).toContain('Ignored a result of Claude Code that belongs to no turn of ours.');
  });

  it.each(['late-result', 'late-nameless-result'])('is not answered by the last one: %s', async (fake) => {
    const agent = agentOver(fake);
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('one'), NEVER);
    expect(await agent.turn(request('two'), NEVER)).toHaveProperty('text', expect.stringContaining('“two”'));
    expect(rig.oddities).toContain('Ignored a result of Claude Code that belongs to no turn of ours.');
  });

  it('is found among noise, unknown types and lines cut anywhere', async () => {
    const agent = agentOver('noisy');
    await agent.ready(FRESH, NEVER);
    expect(await agent.turn(request('hello'), NEVER)).toMatchObject({ kind: 'completed', denials: 0 });
    expect(rig.oddities).toContain('Claude Code printed a line that is no frame.');
    expect(rig.oddities).toContain('Claude Code sent a frame of the unknown type from_the_future.');
  });

  it('does not run without the gateway where readiness could not be proven', async () => {
    const timings = { controlMs: 200 };
    const agent = agentOver('no-status', { timings, ...withVariables({ NO_GATEWAY: '1' }) });
    await agent.ready(FRESH, NEVER);
    expect(rig.oddities).toContain('Claude Code does not tell the state of its MCP servers.');
    const outcome = await agent.turn(request('hello'), NEVER);
    expect(outcome).toMatchObject({ kind: 'failed', message: 'Claude Code began without the gateway' });
    expect(agent.facts.pid).toBeUndefined();
  });

  it('runs where the first init shows the gateway', async () => {
    const agent = agentOver('no-status', { timings: { controlMs: 200 } });
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    expect(await agent.turn(request('hello'), NEVER)).toMatchObject({ kind: 'completed' });
    expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({ sessionId });
  });
});

describe('a new conversation', () => {
  it.each(['clear-ignored', 'clear-pretended'])(
    'is a new process when /clear has no effect: %s',
    async (fake) => {
      const agent = agentOver(fake);
      const old = sessionOf(await agent.ready(FRESH, NEVER));
      await agent.turn(request('The word is SESAME.'), NEVER);
      expect(sessionOf(await agent.ready(FRESH, NEVER))).not.toBe(old);
      expect(rig.spawned).toHaveLength(2);
      await agent.turn(request('hello'), NEVER);
      expect(rig.histories().at(-1)).not.toContain('SESAME');
    },
  );

  it('is a new process in versions that cannot clear', async () => {
    const agent = agentOver('old', { version: '2.1.110' });
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('one'), NEVER);
    await agent.ready(FRESH, NEVER);
    expect(rig.spawned).toHaveLength(2);
  });

  it('is the same process where /clear works', async () => {
    const agent = agentOver('well-behaved');
    await agent.ready(FRESH, NEVER);
    await agent.turn(request('one'), NEVER);
    await agent.ready(FRESH, NEVER);
    expect(rig.spawned).toHaveLength(1);
  });
});

describe('between turns', () => {
  it('a process that has died is replaced and its session resumed', async () => {
    const agent = agentOver('dies-between-turns');
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    await agent.turn(request('My name is Ada.'), NEVER);
    expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({ resumed: true });
    expect(rig.spawned).toHaveLength(2);
    expect(rig.oddities).toContain('Claude Code ended between two turns: exit code 3.');
    const outcome = await agent.turn(request('what did I say first?'), NEVER);
    expect(outcome).toHaveProperty('text', 'First you said: “My name is Ada.”');
  });

  it('an agent that is stopped while it looks after its process starts no other', async () => {
    const agent = agentOver('hangs-between-turns');
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    await agent.turn(request('one'), NEVER);
    const ready = agent.ready({ kind: 'same', sessionId }, NEVER);
    await agent.stop(0);
    expect(await ready).toMatchObject({ kind: 'not-ready' });
    expect(rig.spawned).toHaveLength(1);
  });

  it('a process that hangs is replaced, not given a prompt', async () => {
    const agent = agentOver('hangs-between-turns', { timings: { controlMs: 200 } });
    const sessionId = sessionOf(await agent.ready(FRESH, NEVER));
    await agent.turn(request('one'), NEVER);
    expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({ resumed: true });
    expect(rig.spawned).toHaveLength(2);
    expect(rig.oddities.join()).toContain('Claude Code is replaced between two turns.');
  });

  it('nothing is left of what a turn has started when Claude is ended', async () => {
    const agent = agentOver('leaves-child');
    await agent.ready(FRESH, NEVER);
    const outcome = await agent.turn(request('hello'), NEVER);
    const child = Number(outcome.kind === 'completed' ? outcome.text : '');
    expect(lives(child)).toBe(true);
    await agent.stop(1_000);
    expect(lives(child)).toBe(false);
  });
});

describe('a start', () => {
  it('asks once for a new try when the gateway has failed', async () => {
    expect(await agentOver('gateway-late').ready(FRESH, NEVER)).toMatchObject({ kind: 'ready' });
  });

  it('is given up when Claude says nothing', async () => {
    const outcome = await agentOver('silent', { readyTimeoutMs: 300 }).ready(FRESH, NEVER);
    expect(outcome).toEqual({
      kind: 'not-ready',
      message: 'Claude Code did not answer within 0.3 s after its start.',
    });
  });

  it.each([
    [
      '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
      'claude-root',
    ],
    ["error: unknown option '--tools'", 'claude-failed'],
    [
      "error: option '--permission-mode <mode>' argument 'dontAsk' is invalid. Allowed choices are …",
      'claude-failed',
    ],
    ['Error: Invalid MCP configuration: mcpServers.x: …', 'claude-failed'],
    ['Not logged in · Please run /login', 'claude-unauthorised'],
  ])('is unusable after: %s', async (FAKE_STDERR, code) => {
    const agent = agentOver('fails-at-start', withVariables({ FAKE_STDERR }));
    const first = await agent.ready(FRESH, NEVER);
    expect(first).toMatchObject({ kind: 'unusable', error: { code } });
    // Told again without starting it again.
    expect(await agent.ready(FRESH, NEVER)).toEqual(first);
    expect(rig.spawned).toHaveLength(1);
  });

  it.each([
    [
      { FAKE_STDERR: 'Segmentation fault', FAKE_EXIT: '139' },
      'ended at its start (exit code 139): Segmentation fault',
    ],
    [{ FAKE_EXIT: '0' }, 'ended at its start without a word (exit code 0).'],
  ])('may work the next time after %j', async (variables, message) => {
    const outcome = await agentOver('fails-at-start', withVariables(variables)).ready(FRESH, NEVER);
    expect(outcome).toEqual({ kind: 'not-ready', message: `Claude Code ${message}` });
  });

  it('is unusable when the program is missing', async () => {
    const outcome = await agentOver('no-such-file').ready(FRESH, NEVER);
    expect(outcome).toMatchObject({ kind: 'unusable', error: { code: 'claude-not-found' } });
  });

  it.runIf(process.getuid?.() === 0)(
    'refuses preset `everything` for root before anything runs',
    async () => {
      const outcome = await rig.agent({ preset: 'everything' }).ready(FRESH, NEVER);
      expect(outcome).toMatchObject({ kind: 'unusable', error: { code: 'claude-root' } });
      expect(rig.gateway.issued).toEqual([]);
    },
  );

  it('refuses extra arguments that are ours', async () => {
    const outcome = await rig.agent({ extraArgs: ['--resume=x'] }).ready(FRESH, NEVER);
    expect(outcome).toMatchObject({ kind: 'unusable', error: { code: 'setting-invalid' } });
    expect(await rig.configs()).toEqual([]);
  });

  it('puts the token into a file that only we may read, and nowhere else', async () => {
    const agent = agentOver('well-behaved');
    await agent.ready(FRESH, NEVER);
    const [name = ''] = await rig.configs();
    const path = `${rig.stateFolder}/${name}`;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [token = ''] = rig.gateway.issued;
    expect(await readFile(path, 'utf8')).toContain(`Bearer ${token}`);
    const { pid } = agent.facts;
    for (const file of ['cmdline', 'environ']) {
      expect(await readFile(`/proc/${pid}/${file}`, 'utf8')).not.toContain(token);
    }
  });
});
