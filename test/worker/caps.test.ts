import { describe, expect, it } from 'vitest';
import { NO_CAP } from '../../src/domain/budget.js';
import { NO_USAGE } from '../../src/domain/turn.js';
import type { Answer } from '../support/fake-agent.js';
import { WORKER_OPTIONS, WorkerLab } from '../support/worker-lab.js';

const costs =
  (costUsd: number, text = 'ok'): Answer =>
  async (_request, _signal, agent) => ({
    kind: 'completed',
    text,
    denials: 0,
    sessionId: agent.facts.sessionId,
    usage: { ...NO_USAGE, costUsd, inputTokens: 900, outputTokens: 100, modelCalls: 1 },
    promptKept: true,
  });

const budgets = (more: Partial<typeof WORKER_OPTIONS.budgets>) => ({
  budgets: { ...WORKER_OPTIONS.budgets, ...more },
});
const usd = (amount: number) => ({ ...NO_CAP, usd: amount });

describe("the day's and the hour's budget", () => {
  it('hold all turns until their window ends, survive a restart, and lose no message', async () => {
    const lab = new WorkerLab(budgets({ day: usd(0.1) }));
    lab.agent.answer = costs(0.06);
    for (const sender of ['@a', '@b', '@c', '@d']) lab.upstream.arrive(sender, 'x');
    const { end } = await lab.start();
    expect(lab.agent.prompts).toHaveLength(2);
    expect(await lab.worker.status()).toMatchObject({
      health: 'over-budget',
      budgets: [{ window: 'day', cap: usd(0.1), spent: { usd: 0.12, tokens: 2_000 } }],
    });
    await lab.drain(end);

    const next = new WorkerLab(budgets({ day: usd(0.1) }), lab);
    next.agent.answer = costs(0.01);
    const { end: second } = await next.start();
    await next.clock.advance(3_600_000);
    expect(next.agent.prompts).toHaveLength(0);
    // The lab's day began at noon: twelve hours later it is another one.
    await next.clock.advance(11 * 3_600_000 + 60_000);
    expect(next.agent.prompts).toHaveLength(2);
    await next.drain(second);
  });

  it('can be in tokens, and an hour ends sooner than a day', async () => {
    const lab = new WorkerLab(budgets({ hour: { usd: 'unlimited', tokens: 2_000 } }));
    lab.agent.answer = costs(0);
    for (const sender of ['@a', '@b', '@c']) lab.upstream.arrive(sender, 'x');
    const { end } = await lab.start();
    expect(lab.agent.prompts).toHaveLength(2);
    await lab.clock.advance(3_600_000);
    expect(lab.agent.prompts).toHaveLength(3);
    await lab.drain(end);
  });

  it('are told by the status with how far they are spent, where they are limited', async () => {
    const lab = new WorkerLab(budgets({ day: usd(1), run: { usd: 'unlimited', tokens: 9_000 } }));
    lab.agent.answer = costs(0.25);
    const startedAt = lab.clock.now();
    lab.upstream.arrive('@a', 'x');
    const { end } = await lab.start();
    const spent = { usd: 0.25, tokens: 1_000 };
    const day = 86_400_000;
    expect((await lab.worker.status()).budgets).toEqual([
      { window: 'day', cap: usd(1), spent, endsAt: Math.ceil(startedAt / day) * day },
      { window: 'run', cap: { usd: 'unlimited', tokens: 9_000 }, spent, endsAt: undefined },
    ]);
    await lab.clock.advance(13 * 3_600_000);
    expect((await lab.worker.status()).budgets).toMatchObject([{ spent: { usd: 0 } }, { spent }]);
    await lab.drain(end);
  });

  it('ends `--once` with exit 6', async () => {
    const lab = new WorkerLab(budgets({ day: usd(0.01) }));
    lab.agent.answer = costs(0.02);
    for (const sender of ['@a', '@b']) lab.upstream.arrive(sender, 'x');
    await expect(lab.once()).resolves.toMatchObject({ exitCode: 6 });
    expect(lab.agent.prompts).toHaveLength(1);
  });
});

it("the run's budget ends the run with exit 6", async () => {
  const lab = new WorkerLab(budgets({ run: usd(0.05) }));
  lab.agent.answer = costs(0.03);
  for (const sender of ['@a', '@b', '@c']) lab.upstream.arrive(sender, 'x');
  const { end } = await lab.start();
  await expect(end).resolves.toMatchObject({ exitCode: 6, text: expect.stringContaining('$0.06 of $0.05') });
  expect(lab.agent.prompts).toHaveLength(2);
});

describe('the caps of one', () => {
  const say = async (lab: WorkerLab, sender: string): Promise<void> => {
    lab.upstream.arrive(sender, 'x');
    lab.worker.wake('manual');
    await lab.clock.settle();
  };

  it('conversation rest that one alone, and are told in status', async () => {
    const lab = new WorkerLab(budgets({ conversation: usd(0.05) }));
    lab.agent.answer = costs(0.06);
    const { end } = await lab.start();
    await say(lab, '@a');
    await say(lab, '@a');
    await say(lab, '@b');
    expect(lab.upstream.sent.map((message) => message.to)).toEqual(['@a', '@b']);
    expect((await lab.worker.status()).resting).toMatchObject([{ conversation: '@a' }]);
    await lab.clock.advance(12 * 3_600_000 + 60_000);
    expect(lab.upstream.sent.map((message) => message.to)).toEqual(['@a', '@b', '@a']);
    expect((await lab.worker.status()).resting).toEqual([]);
    await lab.drain(end);
  });

  it('sender count over all their conversations', async () => {
    const lab = new WorkerLab({ ...budgets({ sender: usd(0.05) }), channels: 'all' });
    lab.agent.answer = costs(0.06);
    const { end } = await lab.start();
    await say(lab, '@a');
    lab.upstream.arrive('@a', 'x', { conversation: '#ops' });
    lab.upstream.arrive('@b', 'y', { conversation: '#dev' });
    lab.worker.wake('manual');
    await lab.clock.settle();
    expect(lab.upstream.sent.map((message) => message.to)).toEqual(['@a', '#dev']);
    await lab.drain(end);
  });

  it('message make it dead instead of tried again', async () => {
    const lab = new WorkerLab(budgets({ message: usd(0.05) }));
    lab.agent.answer = costs(0.06, '');
    const { end } = await lab.start();
    await say(lab, '@a');
    await lab.clock.advance(3_600_000);
    expect(lab.agent.prompts).toHaveLength(1);
    const life = await lab.store.mailbox.show('m1');
    expect(life).toMatchObject({ state: 'dead' });
    expect(lab.upstream.sent).toMatchObject([{ text: 'I could not answer.' }]);
    expect(lab.of('dead')).toMatchObject([
      {
        messages: ['m1'],
        attempts: life?.attempts,
        error: expect.stringContaining('the budget of one message'),
      },
    ]);
    await lab.drain(end);
  });
});

it('the loop guard lets two bots thank each other only so often, and others go on', async () => {
  const lab = new WorkerLab({ loop: { turns: 5, windowMs: 3_600_000 } });
  const { end } = await lab.start();
  for (let round = 0; round < 42; round += 1) {
    lab.upstream.arrive('@thankful', `thank you ${round}`);
    lab.worker.wake('manual');
    await lab.clock.settle();
  }
  expect(lab.agent.prompts).toHaveLength(5);
  lab.upstream.arrive('@alice', 'hello');
  lab.worker.wake('manual');
  await lab.clock.settle();
  expect(lab.agent.prompts).toHaveLength(6);
  expect((await lab.worker.status()).resting).toMatchObject([
    { conversation: '@thankful', why: expect.stringContaining('loop guard') },
  ]);
  await lab.clock.advance(3_700_000);
  // The claim that rested is one turn, all that came behind it another.
  expect(lab.agent.prompts).toHaveLength(8);
  await lab.drain(end);
});
