import { describe, expect, it } from 'vitest';
import { NO_USAGE, type TurnFailure, type TurnOutcome } from '../../src/domain/turn.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

const end = (sessionId: string | undefined) => ({ sessionId, usage: NO_USAGE, promptKept: true });
const fails =
  (failure: TurnFailure, until?: number): Answer =>
  async (_request, _signal, agent): Promise<TurnOutcome> => ({
    kind: 'failed',
    failure,
    message: `API Error: ${failure}`,
    until,
    ...end(agent.facts.sessionId),
  });

describe('a turn that fails', () => {
  it('is retried with growing delays in its own session, without repeating the prompt', async () => {
    const lab = new WorkerLab();
    const { end: run } = await lab.start();
    lab.agent.answer = fails('server-error');
    lab.upstream.arrive('@alice', 'the text of the message');
    lab.worker.wake('manual');
    await lab.clock.settle();
    expect(lab.agent.prompts).toHaveLength(1);
    await lab.clock.advance(9_000);
    expect(lab.agent.prompts).toHaveLength(1);
    await lab.clock.advance(1_000);
    expect(lab.agent.prompts).toHaveLength(2);
    expect(lab.agent.prompts[1]).toMatch(/^Continue/);
    expect(lab.agent.prompts[1]).not.toContain('the text of the message');
    lab.agent.answer = says('recovered');
    await lab.clock.advance(20_000);
    expect(lab.sentTexts()).toEqual(['recovered']);
    await lab.drain(run);
  });

  it('is dead after the last attempt: the sender is told once, the rest goes on', async () => {
    const lab = new WorkerLab({ maxAttempts: 3 });
    const { end: run } = await lab.start();
    lab.agent.answer = async (request, signal, agent) =>
      (agent.prompts.at(-1)?.includes('poison') || agent.prompts.at(-1)?.includes('m1')
        ? fails('server-error')
        : says('fine'))(request, signal, agent);
    lab.upstream.arrive('@mallory', 'poison');
    lab.upstream.arrive('@alice', 'innocent');
    await lab.clock.advance(3_600_000);
    expect((await lab.store.mailbox.show('m1'))?.state).toBe('dead');
    expect((await lab.store.mailbox.show('m1'))?.attempts).toBe(3);
    expect(lab.upstream.sent.filter((message) => message.to === '@mallory')).toMatchObject([
      { text: 'I could not answer.' },
    ]);
    expect(lab.upstream.sent.filter((message) => message.to === '@alice')).toMatchObject([{ text: 'fine' }]);
    expect(lab.of('dead')).toEqual([
      {
        type: 'dead',
        claimId: expect.any(String),
        conversation: '@mallory',
        messages: ['m1'],
        attempts: 3,
        error: expect.stringContaining('server-error'),
      },
    ]);
    await lab.drain(run);
  });

  it('keeps quiet about a dead message when told so', async () => {
    const lab = new WorkerLab({ maxAttempts: 1, deadNotice: undefined });
    lab.agent.answer = fails('server-error');
    lab.upstream.arrive('@alice', 'x');
    await lab.once();
    expect(lab.verdicts()).toEqual(['dead']);
    expect(lab.upstream.sent).toEqual([]);
  });

  it('holds at a limit until its published end, costs no attempt, and says so once at each edge', async () => {
    const lab = new WorkerLab();
    const { end: run } = await lab.start();
    const resetAt = lab.clock.now() + 2 * 3_600_000;
    lab.agent.answer = fails('limited', resetAt);
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.advance(2 * 3_600_000 - 1_000);
    expect(lab.agent.prompts).toHaveLength(1);
    expect((await lab.worker.status()).health).toBe('limited');
    lab.agent.answer = says('at last');
    await lab.clock.advance(120_000);
    expect(lab.sentTexts()).toEqual(['at last']);
    expect(lab.of('hold-began').map((event) => event.hold.reason)).toEqual(['limited']);
    expect(lab.of('hold-ended').map((event) => event.hold.reason)).toEqual(['limited']);
    expect((await lab.store.mailbox.show('m1'))?.attempts).toBe(0);
    await lab.drain(run);
  });

  it('waits 60 s after a 429 and 30 s after a 529, longer each time it repeats', async () => {
    for (const [failure, firstMs] of [
      ['rate-limited', 60_000],
      ['overloaded', 30_000],
    ] as const) {
      const lab = new WorkerLab();
      const { end: run } = await lab.start();
      lab.agent.answer = fails(failure);
      lab.upstream.arrive('@alice', 'x');
      lab.worker.wake('manual');
      await lab.clock.settle();
      await lab.clock.advance(firstMs - 1);
      expect(lab.agent.prompts).toHaveLength(1);
      await lab.clock.advance(1);
      expect(lab.agent.prompts).toHaveLength(2);
      await lab.clock.advance(2 * firstMs - 1);
      expect(lab.agent.prompts).toHaveLength(2);
      await lab.clock.advance(1);
      expect(lab.agent.prompts).toHaveLength(3);
      await lab.drain(run);
    }
  });

  it.each([
    ['credit-exhausted', 'credit-exhausted', 'credit'],
    ['unauthorised', 'agent-unauthorised', 'log in'],
    ['model-unknown', 'agent-not-ready', 'setting `model`'],
  ] as const)(
    'for %s holds as %s and says what to do, at no cost to the message',
    async (failure, hold, remedy) => {
      const lab = new WorkerLab();
      const { end: run } = await lab.start();
      lab.agent.answer = fails(failure);
      lab.upstream.arrive('@alice', 'x');
      lab.worker.wake('manual');
      await lab.clock.settle();
      expect(await lab.worker.status()).toMatchObject({ health: hold, why: expect.stringContaining(remedy) });
      lab.agent.answer = says('well again');
      await lab.clock.advance(3_600_000);
      expect(lab.sentTexts()).toEqual(['well again']);
      expect((await lab.store.mailbox.show('m1'))?.attempts).toBe(0);
      expect(lab.of('hold-began')).toHaveLength(1);
      expect(lab.of('hold-ended')).toHaveLength(1);
      await lab.drain(run);
    },
  );

  it('begins anew after an error that the same history would repeat', async () => {
    const lab = new WorkerLab();
    const { end: run } = await lab.start();
    lab.agent.answer = fails('context-too-long');
    lab.upstream.arrive('@alice', 'the text');
    lab.worker.wake('manual');
    await lab.clock.advance(11_000);
    expect(lab.agent.prompts).toHaveLength(2);
    expect(lab.agent.wishes.at(-1)).toEqual({ kind: 'fresh' });
    expect(lab.agent.prompts[1]).toContain('the text');
    await lab.drain(run);
  });

  it('is continued once after a hang, then begun anew', async () => {
    const lab = new WorkerLab();
    const { end: run } = await lab.start();
    lab.agent.answer = async (_request, _signal, agent) => ({
      kind: 'timed-out',
      limit: 'silence',
      limitMs: 600_000,
      ...end(agent.facts.sessionId),
    });
    lab.upstream.arrive('@alice', 'the text');
    lab.worker.wake('manual');
    await lab.clock.advance(10_000 + 20_000 + 1_000);
    expect(lab.agent.prompts.map((prompt) => prompt.startsWith('Continue'))).toEqual([false, true, false]);
    expect(lab.agent.wishes.at(-1)).toEqual({ kind: 'fresh' });
    await lab.drain(run);
  });

  it('sends the full prompt when the session to continue is gone', async () => {
    const lab = new WorkerLab();
    const { end: run } = await lab.start();
    lab.agent.answer = fails('server-error');
    lab.upstream.arrive('@alice', 'the text');
    lab.worker.wake('manual');
    await lab.clock.settle();
    lab.agent.lostSessions.add('s1').add('s2');
    await lab.clock.advance(11_000);
    expect(lab.agent.prompts[1]).toContain('the text');
    await lab.drain(run);
  });

  it('holds while Claude is not ready, without wasting the message, and ends when it cannot be helped', async () => {
    const lab = new WorkerLab();
    lab.agent.readyFaults.push(
      { kind: 'ready', sessionId: undefined, resumed: false },
      { kind: 'not-ready', message: 'no gateway' },
    );
    const { end: run } = await lab.start();
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.settle();
    expect((await lab.worker.status()).health).toBe('agent-not-ready');
    expect(lab.agent.prompts).toEqual([]);
    await lab.clock.advance(60_000);
    expect(lab.sentTexts()).toEqual(['hello']);
    expect((await lab.store.mailbox.show('m1'))?.attempts).toBe(0);
    await lab.drain(run);
  });
});

describe('an inbox that fails', () => {
  it('is asked again with growing delays and answers go on as soon as it is back', async () => {
    const lab = new WorkerLab();
    for (let n = 0; n < 8; n += 1) lab.upstream.lookFaults.push({ kind: 'down', message: 'fetch failed' });
    const { end: run } = await lab.start();
    expect((await lab.worker.status()).health).toBe('inbox-down');
    lab.upstream.arrive('@alice', 'x');
    await lab.clock.advance(10 * 60_000);
    expect(lab.sentTexts()).toEqual(['hello']);
    expect(lab.of('hold-began')).toHaveLength(1);
    expect(lab.of('hold-ended')).toHaveLength(1);
    await lab.drain(run);
  });

  it('is probed slowly when it refuses the key', async () => {
    const lab = new WorkerLab();
    for (let n = 0; n < 20; n += 1) lab.upstream.lookFaults.push({ kind: 'unauthorised', message: '401' });
    const { end: run } = await lab.start();
    await lab.clock.advance(3_600_000);
    expect(lab.upstream.looks).toBeLessThanOrEqual(13);
    expect((await lab.worker.status()).health).toBe('inbox-unauthorised');
    await lab.drain(run);
  });

  it('never takes an answer it does not know for an empty inbox', async () => {
    const lab = new WorkerLab();
    lab.upstream.lookFaults.push({ kind: 'unrecognised', message: 'no field "dms"' });
    await lab.once();
    expect(lab.of('look-failed')).toMatchObject([{ outcome: 'unrecognised', text: 'no field "dms"' }]);
  });

  it('gets a send again that it certainly did not take, and never one in doubt without a key', async () => {
    const later = new WorkerLab();
    const { end: run } = await later.start();
    later.upstream.sendFaults.push({ kind: 'later', message: '503', until: undefined });
    later.upstream.arrive('@alice', 'x');
    await later.clock.advance(120_000);
    expect(later.sentTexts()).toEqual(['hello']);
    await later.drain(run);

    const doubt = new WorkerLab();
    doubt.upstream.idempotent = false;
    const { end: second } = await doubt.start();
    doubt.upstream.sendFaults.push({ kind: 'unsure', message: 'cut' });
    doubt.upstream.arrive('@alice', 'x');
    await doubt.clock.advance(3_600_000);
    expect(doubt.sentTexts()).toEqual([]);
    expect(await doubt.store.outbox.counts()).toMatchObject({ unsure: 1, queued: 0 });
    await doubt.drain(second);
  });
});
