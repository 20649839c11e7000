// What a worker would do next, told by the rules that decide it, and without doing any of it.
import { describe, expect, it } from 'vitest';
import { NO_CAP } from '../../src/domain/budget.js';
import { NO_USAGE } from '../../src/domain/turn.js';
import { says } from '../support/fake-agent.js';
import { WORKER_OPTIONS, WorkerLab } from '../support/worker-lab.js';

/** A worker that is paused while messages come in. */
async function paused(lab: WorkerLab, ...senders: string[]) {
  lab.flags.pausedNow = true;
  for (const sender of senders) lab.upstream.arrive(sender, 'hello');
  return lab.start();
}

describe('a preview', () => {
  it('of a quiet worker says so, and when it looks', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    const { nextAt } = (await lab.worker.status()).look;
    expect(await lab.worker.view.preview()).toEqual({
      at: lab.clock.now(),
      does: 'nothing',
      why: 'Nobody waits for an answer.',
      until: nextAt,
      hold: undefined,
      next: [],
      more: false,
      together: false,
      nextLookAt: nextAt,
    });
    await lab.drain(end);
  });

  it('names the hold, and whom it will answer then, in the order that comes', async () => {
    const lab = new WorkerLab();
    const { end } = await paused(lab, '@alice', '@bob', '@alice');
    const before = await lab.worker.status();
    const preview = await lab.worker.view.preview();
    expect(preview).toMatchObject({
      does: 'hold',
      why: expect.stringContaining('inbox-worker resume'),
      hold: { reason: 'paused' },
      next: [
        {
          conversation: '@alice',
          claimId: undefined,
          messages: [{ id: 'm1', chars: 5 }, { id: 'm3' }],
          attempt: 1,
          prompt: 'full',
          sessionId: undefined,
          cap: undefined,
        },
        { conversation: '@bob', messages: [{ id: 'm2' }] },
      ],
    });
    expect(JSON.stringify(preview)).not.toContain('hello');
    expect(await lab.worker.status()).toEqual(before);
    lab.flags.pausedNow = false;
    expect(await lab.worker.view.preview()).toMatchObject({ does: 'answer', why: 'Answers @alice.' });
    // Asking has lifted nothing: the worker itself has not looked again.
    expect((await lab.worker.status()).health).toBe('paused');
    lab.worker.wake('file');
    await lab.clock.settle();
    expect(lab.upstream.sent.map(({ to }) => to)).toEqual(['@alice', '@bob']);
    await lab.drain(end);
  });

  it('foretells the session that a conversation goes on in', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@alice', 'hello');
    const { end } = await lab.start();
    const { session } = await lab.worker.status();
    expect(session).toMatchObject({ conversation: '@alice', turns: 1 });
    lab.flags.pausedNow = true;
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'again');
    lab.worker.wake('manual');
    await lab.clock.settle();
    const { next } = await lab.worker.view.preview();
    expect(next.map((one) => [one.conversation, one.sessionId])).toEqual([
      ['@alice', session?.id],
      ['@bob', undefined],
    ]);
    await lab.drain(end);
  });

  it('tells a retry by its attempt, its error and the instant it falls due', async () => {
    const lab = new WorkerLab();
    lab.agent.answer = async (_request, _signal, agent) => ({
      kind: 'died',
      message: 'gone',
      sessionId: agent.facts.sessionId,
      usage: NO_USAGE,
      promptKept: true,
    });
    lab.upstream.arrive('@alice', 'hello');
    const { end } = await lab.start();
    const preview = await lab.worker.view.preview();
    const { life, retryAt } = { life: await lab.store.mailbox.show('m1'), retryAt: preview.next[0]?.dueAt };
    expect(retryAt).toBe(life?.retryAt);
    expect(preview).toMatchObject({
      does: 'nothing',
      why: 'Nobody may be answered yet.',
      until: retryAt,
      next: [{ attempt: 2, maxAttempts: 5, prompt: 'continue', lastError: expect.stringContaining('gone') }],
    });
    await lab.drain(end);
  });

  it('passes over a conversation at a cap of its own, and tells why', async () => {
    const loop = { turns: 1, windowMs: 3_600_000 };
    const lab = new WorkerLab({ loop });
    lab.upstream.arrive('@alice', 'hello');
    const { end } = await lab.start();
    lab.flags.pausedNow = true;
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'again');
    lab.worker.wake('manual');
    await lab.clock.settle();
    lab.flags.pausedNow = false;
    const preview = await lab.worker.view.preview();
    expect(preview).toMatchObject({
      does: 'answer',
      why: 'Answers @bob.',
      next: [
        { conversation: '@alice', cap: { kind: 'rest', why: expect.stringContaining('loop guard') } },
        { conversation: '@bob', cap: undefined },
      ],
    });
    expect((await lab.worker.status()).resting).toEqual([]);
    await lab.drain(end);
  });

  it('knows a budget that is spent, and a run that is over', async () => {
    const budgets = { ...WORKER_OPTIONS.budgets, hour: { ...NO_CAP, usd: 0.01 } };
    const lab = new WorkerLab({ budgets });
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'hello');
    const { end } = await lab.start();
    expect(await lab.worker.view.preview()).toMatchObject({
      does: 'hold',
      hold: { reason: 'over-budget' },
      next: [{ conversation: '@bob' }],
    });
    lab.worker.stop('drain', 'test');
    expect(await lab.worker.view.preview()).toMatchObject({ does: 'end', why: 'The worker is stopping.' });
    await lab.drain(end);
  });

  it('of a worker in a turn tells what comes after it', async () => {
    const lab = new WorkerLab();
    let seen: unknown;
    lab.agent.answer = async (request, signal, agent) => {
      seen ??= await lab.worker.view.preview();
      return says('hello')(request, signal, agent);
    };
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'hello');
    const { end } = await lab.start();
    expect(seen).toMatchObject({
      does: 'turn',
      why: 'Answering @alice; what follows waits for its end.',
      next: [{ conversation: '@bob' }],
    });
    await lab.drain(end);
  });

  it('with `pull_scope: all` says that one turn takes all', async () => {
    const lab = new WorkerLab({ delivery: 'pull', pullScope: 'all', session: 'continuous' });
    const { end } = await paused(lab, '@alice', '@bob');
    lab.flags.pausedNow = false;
    const preview = await lab.worker.view.preview();
    expect(preview).toMatchObject({ does: 'answer', together: true });
    expect(preview.next).toHaveLength(2);
    await lab.drain(end);
  });

  it('lists no more than anybody reads', async () => {
    const lab = new WorkerLab();
    const { end } = await paused(lab, ...Array.from({ length: 30 }, (_, n) => `@a${n}`));
    const { next, more } = await lab.worker.view.preview();
    expect([next.length, more]).toEqual([20, true]);
    await lab.drain(end);
  });
});
