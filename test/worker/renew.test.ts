// New options of a worker that runs: they hold at once, and whoever waits by the old ones looks again.
import { expect, it } from 'vitest';
import { NO_CAP } from '../../src/domain/budget.js';
import { NO_USAGE } from '../../src/domain/turn.js';
import type { WorkerOptions } from '../../src/worker/options.js';
import { says } from '../support/fake-agent.js';
import { WORKER_OPTIONS, WorkerLab } from '../support/worker-lab.js';

const MINUTE = 60_000;

async function renew(lab: WorkerLab, options: Partial<WorkerOptions>): Promise<void> {
  lab.worker.renew({ ...WORKER_OPTIONS, ...options });
  await lab.clock.settle();
}

it('a raised budget ends its hold without a wait', async () => {
  const day = (usd: number) => ({ budgets: { ...WORKER_OPTIONS.budgets, day: { ...NO_CAP, usd } } });
  const lab = new WorkerLab(day(0.01));
  for (const sender of ['@a', '@b']) lab.upstream.arrive(sender, 'x');
  const { end } = await lab.start();
  expect(await lab.worker.status()).toMatchObject({
    health: 'over-budget',
    budgets: [{ window: 'day', cap: { usd: 0.01 } }],
  });
  expect(lab.agent.prompts).toHaveLength(1);
  await renew(lab, day(1));
  expect(lab.agent.prompts).toHaveLength(2);
  expect(await lab.worker.status()).toMatchObject({
    health: 'idle',
    budgets: [{ window: 'day', cap: { usd: 1 } }],
  });
  await lab.drain(end);
});

it('a lowered cap of turns ends the run, a raised one lets it go on', async () => {
  const lab = new WorkerLab({ maxTurns: 2 });
  lab.upstream.arrive('@a', 'x');
  const { end } = await lab.start();
  await renew(lab, { maxTurns: 5 });
  for (const sender of ['@b', '@c']) lab.upstream.arrive(sender, 'x');
  lab.worker.wake('manual');
  await lab.clock.settle();
  expect(lab.agent.prompts).toHaveLength(3);
  await renew(lab, { maxTurns: 3 });
  await lab.clock.until(() => lab.of('stopped').length > 0, 'the end of the run');
  expect((await end).exitCode).toBe(6);
});

it('a sender who is denied from now on is not answered', async () => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  await renew(lab, { admission: { allow: 'anyone', deny: ['@mallory'] } });
  lab.upstream.arrive('@mallory', 'x');
  lab.upstream.arrive('@alice', 'x');
  lab.worker.wake('manual');
  await lab.clock.settle();
  expect(lab.agent.prompts).toHaveLength(1);
  expect(lab.upstream.sent.map(({ to }) => to)).toEqual(['@alice']);
  await lab.drain(end);
});

it('a shorter sleep cuts the one that runs, a longer one lengthens it', async () => {
  const backoff = { minMs: 60 * MINUTE, stepMs: 0, maxMs: 60 * MINUTE, unprovenMaxMs: undefined };
  const lab = new WorkerLab({ backoff });
  const { end } = await lab.start();
  await lab.clock.advance(2 * MINUTE);
  expect(lab.upstream.looks).toBe(1);
  await renew(lab, { backoff: { ...backoff, minMs: MINUTE, maxMs: MINUTE } });
  expect(lab.upstream.looks).toBe(2);
  await lab.clock.advance(MINUTE);
  expect(lab.upstream.looks).toBe(3);
  await renew(lab, { backoff });
  expect((await lab.worker.status()).look.nextAt).toBe(lab.clock.now() + 60 * MINUTE);
  await lab.clock.advance(59 * MINUTE);
  expect(lab.upstream.looks).toBe(3);
  await lab.drain(end);
});

it('a notice to those who wait can be put on, and off again', async () => {
  const lab = new WorkerLab();
  lab.flags.pausedNow = true;
  lab.upstream.arrive('@a', 'x');
  const { end } = await lab.start();
  await lab.clock.advance(10 * MINUTE);
  expect(lab.sentTexts()).toEqual([]);
  await renew(lab, { waitNotice: { afterMs: 5 * MINUTE, text: 'still at work' } });
  expect(lab.sentTexts()).toEqual(['still at work']);
  await renew(lab, { waitNotice: undefined });
  lab.upstream.arrive('@b', 'x');
  await lab.clock.advance(10 * MINUTE);
  expect(lab.sentTexts()).toEqual(['still at work']);
  await lab.drain(end);
});

it('a turn that runs keeps the limits it began with, and is settled by the rules of now', async () => {
  const lab = new WorkerLab({ maxAttempts: 5 });
  let limitMs = 0;
  lab.agent.answer = async (request) => {
    limitMs = request.limitMs;
    lab.worker.renew({ ...WORKER_OPTIONS, maxAttempts: 1, turnLimitMs: 1 });
    return { kind: 'died', message: 'gone', sessionId: undefined, usage: NO_USAGE, promptKept: false };
  };
  lab.upstream.arrive('@a', 'x');
  const { end } = await lab.start();
  expect(limitMs).toBe(WORKER_OPTIONS.turnLimitMs);
  expect(lab.verdicts()).toEqual(['dead']);
  await lab.drain(end);
});

it('what somebody may have mended is tried again at once, as one hold', async () => {
  const lab = new WorkerLab();
  lab.agent.answer = async (_request, _signal, agent) => ({
    kind: 'failed',
    failure: 'unauthorised',
    message: 'No login.',
    sessionId: agent.facts.sessionId,
    usage: NO_USAGE,
    promptKept: false,
  });
  lab.upstream.arrive('@a', 'x');
  const { end } = await lab.start();
  expect((await lab.worker.status()).health).toBe('agent-unauthorised');
  await renew(lab, {});
  expect(lab.agent.prompts).toHaveLength(2);
  expect(lab.of('hold-began')).toHaveLength(1);
  lab.agent.answer = says('hello');
  await renew(lab, {});
  expect(lab.sentTexts()).toEqual(['hello']);
  expect(lab.of('hold-ended')).toHaveLength(1);
  await lab.drain(end);
});
