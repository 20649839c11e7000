// What every Agent does, whatever program is behind it: run over the real Claude Code and over a stand-in.
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/lib/deferred.js';
import type { TurnProgress } from '../../src/ports/agent.js';
import { type AgentRig, agentRig, lives, NEVER, request, sessionOf } from '../support/agent-rig.js';

export interface ConformanceOptions {
  readonly claudePath: string;
  readonly version?: string;
}

export function agentConformance(name: string, { claudePath, version }: ConformanceOptions): void {
  describe(`the port Agent over ${name}`, () => {
    let rig: AgentRig;

    beforeEach(async () => {
      rig = await agentRig(claudePath, version);
    });

    afterEach(async () => {
      await rig.close();
      expect(rig.spawned.filter(({ pid }) => lives(pid))).toEqual([]);
      expect([...rig.gateway.valid]).toEqual([]);
    });

    it('gets ready without a model call, and stays as it is when asked again', async () => {
      const agent = rig.agent();
      expect(agent.facts.pid).toBeUndefined();
      const first = await agent.ready({ kind: 'fresh' }, NEVER);
      expect(first).toMatchObject({ kind: 'ready', resumed: false });
      const { pid, processStart } = agent.facts;
      expect(rig.spawned).toEqual([{ pid, start: processStart }]);
      const again = await agent.ready({ kind: 'same', sessionId: sessionOf(first) }, NEVER);
      expect(again).toEqual({ kind: 'ready', sessionId: sessionOf(first), resumed: true });
      expect(await agent.ready({ kind: 'fresh' }, NEVER)).toEqual(first);
      expect(agent.facts).toMatchObject({ pid, sessionId: sessionOf(first) });
      expect(rig.histories()).toHaveLength(0);
    });

    it('runs a turn in one model call and tells what it cost', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      const progress: TurnProgress[] = [];
      const outcome = await agent.turn(
        request('Is the café open? 🙂', { onProgress: (seen) => progress.push(seen) }),
        NEVER,
      );
      expect(outcome).toMatchObject({ kind: 'completed', sessionId, promptKept: true, denials: 0 });
      expect(outcome).toHaveProperty('text', expect.stringContaining('“Is the café open? 🙂”'));
      expect(outcome.usage).toMatchObject({ modelCalls: 1 });
      expect(outcome.usage.costUsd).toBeGreaterThan(0);
      expect(outcome.usage.inputTokens).toBeGreaterThan(0);
      expect(outcome.usage.outputTokens).toBeGreaterThan(0);
      expect(progress.length).toBeGreaterThan(0);
      expect(rig.histories()).toHaveLength(1);
    });

    it('remembers within a session and charges each turn for itself', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      const first = await agent.turn(request('My name is Ada.'), NEVER);
      await agent.ready({ kind: 'same', sessionId }, NEVER);
      const second = await agent.turn(request('what did I say first?'), NEVER);
      expect(second).toMatchObject({
        kind: 'completed',
        text: 'First you said: “My name is Ada.”',
        sessionId,
      });
      expect(second.usage.costUsd).toBeLessThan(first.usage.costUsd * 2);
      expect(rig.spawned).toHaveLength(1);
    });

    it('begins a new conversation with nothing of the old one', async () => {
      const agent = rig.agent();
      const old = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      await agent.turn(request('The word is SESAME.'), NEVER);
      const fresh = await agent.ready({ kind: 'fresh' }, NEVER);
      expect(sessionOf(fresh)).not.toBe(old);
      const outcome = await agent.turn(request('what did I say first?'), NEVER);
      expect(outcome).toMatchObject({
        text: 'You had not said anything before this.',
        sessionId: sessionOf(fresh),
      });
      expect(outcome.usage.costUsd).toBeGreaterThan(0);
      expect(rig.histories().at(-1)).not.toContain('SESAME');
    });

    it('goes from one session to another and back', async () => {
      const agent = rig.agent();
      const one = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      await agent.turn(request('I am ONE.'), NEVER);
      const two = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      await agent.turn(request('I am TWO.'), NEVER);
      expect(await agent.ready({ kind: 'same', sessionId: one }, NEVER)).toEqual({
        kind: 'ready',
        sessionId: one,
        resumed: true,
      });
      const outcome = await agent.turn(request('what did I say first?'), NEVER);
      expect(outcome).toMatchObject({ text: 'First you said: “I am ONE.”', sessionId: one });
      expect(rig.histories().at(-1)).not.toContain('I am TWO.');
      expect(two).not.toBe(one);
    });

    it('starts afresh, and says so, when the session is unknown', async () => {
      const agent = rig.agent();
      const sessionId = '00000000-0000-4000-8000-000000000000';
      const outcome = await agent.ready({ kind: 'same', sessionId }, NEVER);
      expect(outcome).toMatchObject({ kind: 'ready', resumed: false });
      expect(sessionOf(outcome)).not.toBe(sessionId);
      expect(rig.oddities.join('\n')).toContain(sessionId);
      expect(await agent.turn(request('hello'), NEVER)).toMatchObject({ kind: 'completed' });
    });

    it('stops a turn that is called off, keeps its prompt, and is fit for the next', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      const hold = rig.api.hold();
      const off = new AbortController();
      const turn = agent.turn(request('A long errand.'), off.signal);
      await hold.reached;
      off.abort(new Error('the worker is stopping'));
      const kept = { kind: 'interrupted', reason: 'the worker is stopping', promptKept: true, sessionId };
      expect(await turn).toMatchObject(kept);
      hold.release();
      expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({ resumed: true });
      expect(await agent.turn(request('Continue.'), NEVER)).toMatchObject({ kind: 'completed' });
      expect(rig.histories().at(-1)).toContain('A long errand.');
    });

    it('does nothing in a turn that was called off before it began', async () => {
      const agent = rig.agent();
      await agent.ready({ kind: 'fresh' }, NEVER);
      const outcome = await agent.turn(request('hello'), AbortSignal.abort(new Error('too late')));
      expect(outcome).toMatchObject({ kind: 'interrupted', reason: 'too late', promptKept: false });
      expect(rig.histories()).toHaveLength(0);
    });

    it.each([
      ['silence', { silenceMs: 1_500 }],
      ['turn', { limitMs: 1_500 }],
    ])('ends a turn that passes its limit of %s', async (limit, limits) => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      rig.api.faults.enqueue({ fault: 'hang' });
      const outcome = await agent.turn(request('hello', limits), NEVER);
      expect(outcome).toMatchObject({
        kind: 'timed-out',
        limit,
        limitMs: 1_500,
        promptKept: true,
        sessionId,
      });
      expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({ resumed: true });
      expect(await agent.turn(request('Continue.'), NEVER)).toMatchObject({ kind: 'completed' });
    });

    it('reports an API error as a failure, keeps the prompt and the process', async () => {
      const agent = rig.agent();
      await agent.ready({ kind: 'fresh' }, NEVER);
      rig.api.faults.enqueue({ fault: '529', times: 5 });
      const outcome = await agent.turn(request('The first try.'), NEVER);
      expect(outcome).toMatchObject({ kind: 'failed', failure: 'overloaded', promptKept: true });
      rig.api.faults.clear();
      expect(await agent.turn(request('The second try.'), NEVER)).toMatchObject({ kind: 'completed' });
      expect(rig.histories().at(-1)).toContain('The first try.');
      expect(rig.spawned).toHaveLength(1);
    });

    it('comes back with its history when it was killed between turns', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      await agent.turn(request('My name is Ada.'), NEVER);
      // Claude Code writes its record with a delay; this is about a process that dies later than that.
      await agent.stop(10_000);
      expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({
        resumed: true,
        sessionId,
      });
      const { pid } = agent.facts;
      process.kill(pid ?? 0, 'SIGKILL');
      expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({
        resumed: true,
        sessionId,
      });
      expect(agent.facts.pid).not.toBe(pid);
      const outcome = await agent.turn(request('what did I say first?'), NEVER);
      expect(outcome).toMatchObject({ text: 'First you said: “My name is Ada.”', sessionId });
    });

    it('tells a death in mid-turn, and resumes with the prompt once its record holds it', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      const hold = rig.api.hold();
      const recorded = deferred();
      const turn = agent.turn(
        request('Half done.', { onProgress: (seen) => seen.sessionId === sessionId && recorded.resolve() }),
        NEVER,
      );
      await hold.reached;
      await recorded.promise;
      process.kill(agent.facts.pid ?? 0, 'SIGKILL');
      const outcome = await turn;
      expect(outcome).toMatchObject({ kind: 'died', promptKept: true, sessionId });
      expect(outcome).toHaveProperty('message', expect.stringContaining('SIGKILL'));
      hold.release();
      expect(await agent.ready({ kind: 'same', sessionId }, NEVER)).toMatchObject({
        resumed: true,
        sessionId,
      });
      expect(await agent.turn(request('Continue.'), NEVER)).toMatchObject({ kind: 'completed' });
      expect(rig.histories().at(-1)).toContain('Half done.');
    });

    it('says the truth about the prompt when it is killed at once', async () => {
      const agent = rig.agent();
      const sessionId = sessionOf(await agent.ready({ kind: 'fresh' }, NEVER));
      const hold = rig.api.hold();
      const turn = agent.turn(request('Half done.'), NEVER);
      await hold.reached;
      process.kill(agent.facts.pid ?? 0, 'SIGKILL');
      const { promptKept } = await turn;
      hold.release();
      await agent.ready({ kind: 'same', sessionId }, NEVER);
      expect(await agent.turn(request('Continue.'), NEVER)).toMatchObject({ kind: 'completed' });
      expect(rig.histories().at(-1)?.includes('Half done.')).toBe(promptKept);
    });

    it('gives up a start that is called off', async () => {
      const agent = rig.agent();
      const off = new AbortController();
      const ready = agent.ready({ kind: 'fresh' }, off.signal);
      off.abort();
      expect(await ready).toMatchObject({ kind: 'not-ready' });
      expect(agent.facts.pid).toBeUndefined();
      expect(await agent.ready({ kind: 'fresh' }, NEVER)).toMatchObject({ kind: 'ready' });
    });

    it('is not ready while the gateway is down, and becomes ready when it is back', async () => {
      let now = Date.now();
      const agent = rig.agent({
        clock: { now: () => now, sleepUntil: (_, signal) => once(signal, 'abort').then() },
      });
      rig.gateway.down = true;
      const outcome = await agent.ready({ kind: 'fresh' }, NEVER);
      expect(outcome).toMatchObject({
        kind: 'not-ready',
        message: expect.stringContaining('The gateway is failed'),
      });
      rig.gateway.down = false;
      // No crash loop: the next try has to wait.
      expect(await agent.ready({ kind: 'fresh' }, NEVER)).toHaveProperty(
        'message',
        expect.stringContaining('The next try is in 1 s.'),
      );
      expect(rig.spawned).toHaveLength(1);
      now += 1_000;
      expect(await agent.ready({ kind: 'fresh' }, NEVER)).toMatchObject({ kind: 'ready' });
    });

    it('leaves neither process nor token nor configuration when it is stopped', async () => {
      const agent = rig.agent();
      await agent.ready({ kind: 'fresh' }, NEVER);
      await agent.turn(request('hello'), NEVER);
      expect(await rig.configs()).toHaveLength(1);
      const { pid } = agent.facts;
      await agent.stop(10_000);
      expect(lives(pid)).toBe(false);
      expect(await rig.configs()).toEqual([]);
      expect([...rig.gateway.valid]).toEqual([]);
      expect(agent.facts.pid).toBeUndefined();
      await agent.stop(0);
    });

    it('ends a turn that is running when it is stopped by force', async () => {
      const agent = rig.agent();
      await agent.ready({ kind: 'fresh' }, NEVER);
      const hold = rig.api.hold();
      const turn = agent.turn(request('hello'), NEVER);
      await hold.reached;
      await agent.stop(0);
      expect(await turn).toMatchObject({ kind: 'died' });
    });
  });
}
