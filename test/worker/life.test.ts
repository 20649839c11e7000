import { describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { NO_USAGE } from '../../src/domain/turn.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

/** A turn that goes on until it is interrupted. */
const endless: Answer = (_request, signal, agent) =>
  new Promise((resolve) => {
    const sessionId = agent.facts.sessionId;
    signal.addEventListener('abort', () =>
      resolve({ kind: 'interrupted', reason: 'shutdown', sessionId, usage: NO_USAGE, promptKept: true }),
    );
  });

describe('a restart after a crash', () => {
  /** Runs until Claude has the prompt, then forgets everything but the disk. */
  async function crashed(use?: (lab: WorkerLab) => Promise<void>): Promise<WorkerLab> {
    const lab = new WorkerLab();
    lab.agent.answer = async (request, signal, agent) => {
      await use?.(lab);
      return endless(request, signal, agent);
    };
    lab.upstream.arrive('@alice', 'the text');
    await lab.start();
    await lab.clock.settle();
    expect(lab.agent.prompts).toHaveLength(1);
    return lab;
  }

  it('takes up the same claim in the session that has the prompt, and ends the orphan first', async () => {
    const first = await crashed();
    const second = new WorkerLab({}, first);
    const end = await second.once();
    expect(end.exitCode).toBe(0);
    expect(second.orphans).toEqual([4242]);
    expect(second.agent.prompts).toHaveLength(1);
    expect(second.agent.prompts[0]).toMatch(/^Continue.*half done/s);
    expect(second.sentTexts()).toEqual(['hello']);
    expect((await second.store.mailbox.show('m1'))?.attempts).toBe(1);
  });

  it('gives up what this attempt was the last of, and says so', async () => {
    const first = await crashed();
    const second = new WorkerLab({ maxAttempts: 1 }, first);
    await second.once();
    expect(second.agent.prompts).toEqual([]);
    const life = await second.store.mailbox.show('m1');
    expect(life).toMatchObject({ state: 'dead', attempts: 1 });
    expect(second.of('dead')).toMatchObject([{ messages: ['m1'], conversation: '@alice', attempts: 1 }]);
  });

  it('does not ask again for what the outbox already holds, and sends it once', async () => {
    const first = await crashed(async (lab) => {
      const turn = lab.desk.of(lab.token);
      if (typeof turn !== 'string') await turn.send({ to: '@alice', text: 'the reply', interim: false });
    });
    const second = new WorkerLab({}, first);
    await second.once();
    expect(second.agent.prompts).toEqual([]);
    expect(second.sentTexts()).toEqual(['the reply']);
    expect((await second.store.mailbox.show('m1'))?.state).toBe('answered');
  });

  it('gives a send its first answer when a rescued turn repeats it, and still sends the reply', async () => {
    const first = await crashed(async (lab) => {
      const turn = lab.desk.of(lab.token);
      if (typeof turn !== 'string') await turn.send({ to: '@alice', text: 'on it', interim: true });
    });
    const second = new WorkerLab({}, first);
    const repeated: boolean[] = [];
    second.agent.answer = async (request, signal, agent) => {
      const turn = second.desk.of(second.token);
      if (typeof turn === 'string') throw new Error(turn);
      const sent = await turn.send({ to: '@alice', text: 'on it again', interim: true });
      if (sent.kind === 'accepted') repeated.push(sent.repeated);
      return says('done')(request, signal, agent);
    };
    await second.once();
    expect(repeated).toEqual([true]);
    expect(second.sentTexts()).toEqual(['on it', 'done']);
  });

  it('is refused its late writes once another has the lease', async () => {
    const first = await crashed();
    const second = new WorkerLab({}, first);
    await second.store.lease.acquire();
    await expect(first.store.mailbox.spool([], 0)).rejects.toMatchObject({ code: 'lease-lost' });
  });
});

describe('stopping', () => {
  it('when idle is over at once', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.worker.stop('drain', 'test');
    await expect(end).resolves.toMatchObject({ exitCode: 0 });
    expect(lab.upstream.closed).toBe(true);
  });

  it('by drain lets the turn finish and its reply out', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    let finish = (): void => {};
    lab.agent.answer = (request, signal, agent) =>
      new Promise((resolve) => {
        finish = () => resolve(says('just in time')(request, signal, agent));
      });
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.settle();
    lab.worker.stop('drain', 'test');
    await lab.clock.advance(29_000);
    finish();
    await expect(end).resolves.toMatchObject({ exitCode: 0 });
    expect(lab.sentTexts()).toEqual(['just in time']);
  });

  it('by drain interrupts at the deadline, for free, and the next run takes the message up', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.agent.answer = endless;
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.settle();
    lab.worker.stop('drain', 'test');
    await lab.clock.advance(30_000);
    await end;
    expect(await lab.store.mailbox.show('m1')).toMatchObject({ state: 'retry', attempts: 0 });
    await lab.store.lease.release();
    const next = new WorkerLab({}, lab);
    await next.once();
    expect(next.sentTexts()).toEqual(['hello']);
  });

  it('by a second stop does not wait', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.agent.answer = endless;
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.settle();
    lab.worker.stop('drain', 'first');
    lab.worker.stop('force', 'second');
    await end;
    expect(lab.verdicts()).toEqual(['retry']);
  });

  it('comes with exit 3 when the lease is lost', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    const row = lab.disk.lease?.row;
    if (lab.disk.lease && row)
      lab.disk.lease.row = { ...row, owner: 'somebody', generation: row.generation + 1 };
    await lab.clock.advance(60_000);
    await expect(end).resolves.toMatchObject({ exitCode: 3 });
    expect(lab.agent.stopped).toBe(true);
  });

  it('comes with exit 6 at the cap of turns, and what is left waits', async () => {
    const lab = new WorkerLab({ maxTurns: 2 });
    for (const sender of ['@a', '@b', '@c']) lab.upstream.arrive(sender, 'x');
    const { end } = await lab.start();
    await expect(end).resolves.toMatchObject({ exitCode: 6 });
    expect(lab.agent.prompts).toHaveLength(2);
    expect((await lab.store.mailbox.counts()).messages.waiting).toBe(1);
  });
});

describe('control files', () => {
  it('pause keeps turns from starting until it is removed, while looking goes on', async () => {
    const lab = new WorkerLab();
    lab.flags.pausedNow = true;
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'x');
    await lab.clock.advance(600_000);
    expect(lab.agent.prompts).toEqual([]);
    expect((await lab.store.mailbox.counts()).messages.waiting).toBe(1);
    expect((await lab.worker.status()).health).toBe('paused');
    lab.flags.pausedNow = false;
    lab.worker.wake('file');
    await lab.clock.settle();
    expect(lab.sentTexts()).toEqual(['hello']);
    await lab.drain(end);
  });

  it('stop drains', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.flags.events.add('stop');
    await lab.clock.advance(60_000);
    await expect(end).resolves.toMatchObject({ exitCode: 0 });
  });

  it('clear-session ends the session after the turn', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@alice', 'x');
    lab.agent.answer = async (request, signal, agent) => {
      lab.flags.events.add('clear-session');
      return says('ok')(request, signal, agent);
    };
    await lab.once();
    lab.upstream.arrive('@alice', 'y');
    await lab.store.lease.release();
    const next = new WorkerLab({}, lab);
    await next.once();
    expect(next.agent.wishes).toEqual([{ kind: 'fresh' }]);
    expect(next.agent.prompts[0]).toContain('ok');
  });
});

describe('idle backoff', () => {
  const lookTimes = (lab: WorkerLab): number[] => lab.of('looked').map((event) => event.nextAt);

  it('grows from MIN by STEP with a live wake source, and begins anew with mail', async () => {
    const lab = new WorkerLab();
    lab.source.isConnected = true;
    const { end } = await lab.start();
    await lab.clock.advance(15 * 60_000);
    const gaps = lookTimes(lab).map((at, index, all) => at - (all[index - 1] ?? at));
    expect(gaps.slice(1, 4)).toEqual([180_000, 240_000, 300_000]);
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('stream');
    await lab.clock.settle();
    const last = lab.of('looked').at(-1);
    expect(last?.nextAt).toBe(lab.clock.now() + 60_000);
    await lab.drain(end);
  });

  it('sleeps at most 60 s while nothing proves that it would wake us', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    await lab.clock.advance(3_600_000);
    expect(lab.upstream.looks).toBe(61);
    await lab.drain(end);
  });

  it('trusts a webhook that announced the latest mail until one is missed', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'announced');
    lab.worker.wake('webhook');
    await lab.clock.settle();
    const before = lab.upstream.looks;
    await lab.clock.advance(20 * 60_000);
    expect(lab.upstream.looks - before).toBeLessThan(8);
    lab.upstream.arrive('@alice', 'not announced');
    await lab.clock.advance(3_600_000);
    expect((await lab.worker.status()).look.missedWakes).toBe(1);
    const after = lab.upstream.looks;
    await lab.clock.advance(600_000);
    expect(lab.upstream.looks - after).toBe(10);
    await lab.drain(end);
  });

  it('does not call a wake missed that only lost the race against the timer', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'x');
    await lab.clock.advance(60_000);
    expect((await lab.worker.status()).look.missedWakes).toBe(1);
    lab.worker.wake('webhook');
    await lab.clock.settle();
    expect((await lab.worker.status()).look.missedWakes).toBe(0);
    await lab.drain(end);
  });
});

describe('a disk that refuses', () => {
  /** Fails the named writes until `healed` is called. */
  function breakStore(lab: WorkerLab, part: 'mailbox' | 'outbox' | 'ledger', method: string): () => void {
    const store = lab.store[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const whole = store[method];
    if (!whole) throw new Error(`there is no ${part}.${method}`);
    const original = whole.bind(store);
    store[method] = async () => {
      throw new WorkerError('store-unusable', 'The disk is full.');
    };
    return () => {
      store[method] = original;
    };
  }

  it('that is a server gone away is told once, and told to be back by a look that finds nothing', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    const { mailbox } = lab.store;
    const spool = mailbox.spool.bind(mailbox);
    mailbox.spool = async () => {
      throw new WorkerError('store-unreachable', 'The database cannot be reached.');
    };
    lab.upstream.arrive('@alice', 'one');
    await lab.clock.advance(120_000);
    lab.worker.wake('manual');
    await lab.clock.settle();
    expect((await lab.worker.status()).health).toBe('store-down');
    mailbox.spool = spool;
    await lab.clock.advance(60_000);
    expect(lab.of('hold-began').map((event) => event.hold.reason)).toEqual(['store-down']);
    expect(lab.of('hold-ended').map((event) => event.hold.reason)).toEqual(['store-down']);
    expect(lab.sentTexts()).toHaveLength(1);
    await lab.drain(end);
  });

  it('loses nothing of a draining inbox: the batch is kept, and nothing more is asked for before it is on disk', async () => {
    const lab = new WorkerLab();
    // What is handed over is forgotten there, whatever becomes of it here.
    lab.upstream.drains = true;
    const heal = breakStore(lab, 'mailbox', 'spool');
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'one');
    await lab.clock.advance(60_000);
    lab.upstream.arrive('@bob', 'two');
    await lab.clock.advance(600_000);
    expect(lab.upstream.unread).toBe(1);
    heal();
    await lab.clock.advance(120_000);
    expect(lab.upstream.sent.map((message) => message.to).toSorted()).toEqual(['@alice', '@bob']);
    expect(lab.of('hold-began').filter((event) => event.hold.reason === 'disk-full')).toHaveLength(1);
    await lab.drain(end);
  });

  it.each([
    ['mailbox', 'settle'],
    ['outbox', 'settlingSends'],
    ['ledger', 'end'],
    ['ledger', 'begin'],
    ['mailbox', 'noteSession'],
  ] as const)('at %s.%s strands no claim: the turn is settled as soon as it can be', async (part, method) => {
    const lab = new WorkerLab();
    const heal = breakStore(lab, part, method);
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'one');
    await lab.clock.advance(300_000);
    heal();
    await lab.clock.advance(120_000);
    lab.upstream.arrive('@alice', 'two');
    await lab.clock.advance(120_000);
    expect(lab.sentTexts()).toEqual(['hello', 'hello']);
    expect(lab.agent.prompts).toHaveLength(2);
    await lab.drain(end);
  });

  it('at outbox.record blocks no recipient, and sends nothing twice', async () => {
    const lab = new WorkerLab();
    lab.upstream.idempotent = false;
    const heal = breakStore(lab, 'outbox', 'record');
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'one');
    await lab.clock.advance(300_000);
    heal();
    lab.upstream.arrive('@alice', 'two');
    await lab.clock.advance(120_000);
    expect(lab.sentTexts()).toEqual(['hello', 'hello']);
    expect(await lab.store.outbox.counts()).toMatchObject({ sent: 2, sending: 0, unsure: 0 });
    await lab.drain(end);
  });
});

describe('an inbox that wants to be left alone', () => {
  it('is not looked at for wakes before its time, but for a person', async () => {
    const lab = new WorkerLab();
    const until = lab.clock.now() + 3_600_000;
    lab.upstream.lookFaults.push({ kind: 'rate-limited', message: '429', until });
    const { end } = await lab.start();
    for (let minute = 0; minute < 50; minute += 1) {
      lab.worker.wake('webhook');
      await lab.clock.advance(60_000);
    }
    expect(lab.upstream.looks).toBe(1);
    lab.worker.wake('manual');
    await lab.clock.settle();
    expect(lab.upstream.looks).toBe(2);
    await lab.drain(end);
  });

  it('is asked nothing by a sender that has nothing to recover', async () => {
    const lab = new WorkerLab();
    let checks = 0;
    lab.upstream.check = async () => {
      checks += 1;
      return { kind: 'unauthorised', message: '401' };
    };
    for (let n = 0; n < 20; n += 1) lab.upstream.lookFaults.push({ kind: 'unauthorised', message: '401' });
    const { end } = await lab.start();
    await lab.clock.advance(3_600_000);
    expect(checks).toBe(0);
    await lab.drain(end);
  });

  it('is looked at within a minute of its wake stream breaking, even in a long sleep', async () => {
    const lab = new WorkerLab();
    lab.source.isConnected = true;
    const { end } = await lab.start();
    await lab.clock.advance(10 * 3_600_000);
    lab.source.isConnected = false;
    lab.upstream.arrive('@alice', 'x');
    await lab.clock.advance(61_000);
    expect(lab.sentTexts()).toEqual(['hello']);
    await lab.drain(end);
  });
});
