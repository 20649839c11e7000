// New settings of a living agent: the process is replaced between two turns, its session goes on.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClaudeAgentChange } from '../../src/agent/index.js';
import { type AgentRig, agentRig, NEVER, request, sessionOf } from '../support/agent-rig.js';
import { fakeClaude } from './fakes.js';

let rig: AgentRig;

beforeEach(async () => {
  rig = await agentRig(fakeClaude('well-behaved'));
});
afterEach(() => rig.close());

const change = (over: Partial<ClaudeAgentChange> = {}): ClaudeAgentChange => ({
  model: undefined,
  systemPrompt: 'You answer direct messages.',
  appendSystemPrompt: undefined,
  environment: { PATH: process.env.PATH ?? '', HOME: rig.home, ANTHROPIC_BASE_URL: rig.api.url },
  maxBudgetUsd: undefined,
  recycle: undefined,
  ...over,
});

it.each([
  ['model', { model: 'haiku' }],
  ['belt', { maxBudgetUsd: 7 }],
  ['login', { environment: { ANTHROPIC_API_KEY: 'another' } }],
])('another %s replaces the process before its next turn, and resumes its session', async (_what, over) => {
  const agent = rig.agent(change());
  const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
  await agent.turn(request('My name is Ada.'), NEVER);
  const { pid } = agent.facts;
  const environment = { ...change().environment, ...('environment' in over ? over.environment : {}) };
  agent.change(change({ ...over, environment }));
  expect(agent.facts.pid).toBe(pid);
  const again = await agent.ready({ kind: 'same', sessionId }, NEVER);
  expect(again).toMatchObject({ kind: 'ready', sessionId, resumed: true });
  expect(agent.facts.pid).not.toBe(pid);
  expect(rig.oddities).toEqual([expect.stringContaining('its settings are others now')]);
  // Once: the new process is what was asked for.
  const { pid: second } = agent.facts;
  await agent.ready({ kind: 'same', sessionId }, NEVER);
  expect(agent.facts.pid).toBe(second);
});

it.each([
  ['system prompt', { systemPrompt: 'You are somebody else.' }],
  ['addition to it', { appendSystemPrompt: 'Be brief.' }],
])('another %s begins a fresh session: Claude Code would keep the old one for good', async (_what, over) => {
  const agent = rig.agent(change());
  const old = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
  await agent.turn(request('My name is Ada.'), NEVER);
  agent.change(change(over));
  const fresh = await agent.ready({ kind: 'same', sessionId: old }, NEVER);
  expect(fresh).toMatchObject({ kind: 'ready', resumed: false });
  expect(sessionOf(fresh)).not.toBe(old);
  const { pid } = agent.facts;
  // The old one stays gone, the new one goes on.
  expect(await agent.ready({ kind: 'same', sessionId: old }, NEVER)).toMatchObject({ resumed: false });
  const again = await agent.ready({ kind: 'same', sessionId: sessionOf(fresh) }, NEVER);
  expect(again).toMatchObject({ resumed: true });
  expect(agent.facts.pid).toBe(pid);
  await agent.stop(2_000);

  // So it is for the next run, too: with its own prompt each session goes on, with another it does not.
  const next = rig.agent(change());
  expect(await next.ready({ kind: 'same', sessionId: old }, NEVER)).toMatchObject({ resumed: true });
  const strange = { kind: 'same', sessionId: sessionOf(fresh) } as const;
  expect(await next.ready(strange, NEVER)).toMatchObject({ resumed: false });
});

it('what is the same leaves the process alone', async () => {
  const agent = rig.agent(change());
  const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
  const { pid } = agent.facts;
  agent.change(change());
  await agent.ready({ kind: 'same', sessionId }, NEVER);
  expect(agent.facts.pid).toBe(pid);
  expect(rig.oddities).toEqual([]);
});

it('new limits for its replacement hold for the process that is up', async () => {
  const agent = rig.agent(change());
  const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
  await agent.turn(request('hello'), NEVER);
  const { pid } = agent.facts;
  agent.change(change({ recycle: { turns: 1 } }));
  await agent.ready({ kind: 'same', sessionId }, NEVER);
  expect(agent.facts.pid).not.toBe(pid);
  expect(rig.oddities).toEqual([expect.stringContaining('it has run 1 turns')]);
});

it('a start that failed is tried again at once', async () => {
  const agent = rig.agent({ ...change(), claudePath: fakeClaude('no-such-stand-in') });
  const failed = await agent.ready({ kind: 'fresh' }, NEVER);
  const blocked = await agent.ready({ kind: 'fresh' }, NEVER);
  expect([failed.kind, blocked.kind]).not.toContain('ready');
  agent.change(change());
  const tried = await agent.ready({ kind: 'fresh' }, NEVER);
  expect(JSON.stringify(tried)).not.toContain('The next try is in');
});
