// Faults that the simulation found, each in the fewest words: test/simulation plays the whole of them.
import { expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import type { OpenTurn } from '../../src/ports/turns.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

const full = (): Promise<never> => Promise.reject(new WorkerError('store-unusable', 'The disk is full.'));

/** The next call of this method fails as a full disk fails. */
function failsOnce<T, K extends keyof T>(port: T, method: K): void {
  const real = port[method];
  Object.assign(port as object, {
    [method]: () => {
      Object.assign(port as object, { [method]: real });
      return full();
    },
  });
}

const turnOf = (lab: WorkerLab): OpenTurn => {
  const turn = lab.desk.of(lab.token);
  if (typeof turn === 'string') throw new Error(`the desk is ${turn}`);
  return turn;
};

const overloaded: Answer = async (_request, _signal, agent) => ({
  kind: 'failed',
  failure: 'overloaded',
  message: '529',
  sessionId: agent.facts.sessionId,
  usage: { costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 1 },
  promptKept: true,
});

it('a disk that fails between two sends ends no worker', async () => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  failsOnce(lab.store.outbox, 'nextDueAt');
  await lab.clock.advance(120_000);
  lab.upstream.arrive('@alice', 'x');
  await lab.clock.advance(120_000);
  expect(lab.sentTexts()).toEqual(['hello']);
  expect(await lab.drain(end)).toMatchObject({ exitCode: 0 });
});

it('a send that could not be stored leaves no gap in the numbers: the next try repeats nothing', async () => {
  const lab = new WorkerLab({ sendTo: ['@carol'] });
  lab.upstream.arrive('@alice', 'tell carol');
  const kinds: string[] = [];
  let attempts = 0;
  lab.agent.answer = async (request, signal, agent) => {
    attempts += 1;
    if (attempts === 1) failsOnce(lab.store.outbox, 'commit');
    for (let tries = 0; tries < 2 && kinds.at(-1) !== `accepted ${attempts}`; tries += 1) {
      const sent = await turnOf(lab).send({ to: '@carol', text: 'news', interim: false });
      kinds.push(`${sent.kind} ${attempts}`);
    }
    return (attempts === 1 ? overloaded : says('told'))(request, signal, agent);
  };
  const { end } = await lab.start();
  await lab.clock.advance(600_000);
  expect(kinds).toEqual(['refused 1', 'accepted 1', 'accepted 2']);
  expect(lab.sentTexts()).toEqual(['news', 'told']);
  await lab.drain(end);
});

it('sends of one turn that are made at once are numbered one after the other', async () => {
  const lab = new WorkerLab();
  lab.upstream.arrive('@alice', 'count');
  lab.agent.answer = async (request, signal, agent) => {
    const turn = turnOf(lab);
    await Promise.all(
      ['one', 'two', 'three'].map((text) => turn.send({ to: '@alice', text, interim: false })),
    );
    return says('unused')(request, signal, agent);
  };
  await lab.once();
  expect(lab.sentTexts()).toEqual(['one', 'two', 'three']);
});

it.each([
  ['a stop', (lab: WorkerLab) => lab.worker.stop('drain', 'test')],
  ['a pause', (lab: WorkerLab) => Object.assign(lab.flags, { pausedNow: true })],
  ['a stop file', (lab: WorkerLab) => lab.flags.events.add('stop')],
])('%s that comes while the agent gets ready keeps the turn from starting', async (_what, comes) => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  const ready = lab.agent.ready.bind(lab.agent);
  lab.agent.ready = async (wish) => {
    comes(lab);
    return ready(wish);
  };
  lab.upstream.arrive('@alice', 'x');
  lab.worker.wake('manual');
  await lab.clock.settle();
  expect(lab.agent.prompts).toEqual([]);
  expect(await lab.store.mailbox.show('m1')).toMatchObject({ state: 'retry', attempts: 0 });
  await lab.drain(end);
});

it('a limit that is settled late holds the next turn all the same', async () => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  lab.agent.answer = overloaded;
  failsOnce(lab.store.mailbox, 'settle');
  lab.upstream.arrive('@alice', 'x');
  lab.worker.wake('manual');
  await lab.clock.advance(35_000);
  expect(lab.of('turn-ended')).toHaveLength(1);
  expect(lab.agent.prompts).toHaveLength(1);
  await lab.drain(end);
});

it('messages that wait do not try a refused key each for itself', async () => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  for (const sender of ['@a', '@b', '@c']) lab.upstream.arrive(sender, 'x');
  let tries = 0;
  const send = lab.upstream.send.bind(lab.upstream);
  lab.upstream.send = async () => {
    tries += 1;
    return { kind: 'unauthorised', message: '401' };
  };
  lab.worker.wake('manual');
  await lab.clock.settle();
  for (let n = 0; n < 20; n += 1) lab.upstream.lookFaults.push({ kind: 'unauthorised', message: '401' });
  await lab.clock.advance(3_600_000);
  expect(tries).toBeLessThanOrEqual(2);
  lab.upstream.send = send;
  lab.upstream.lookFaults.length = 0;
  await lab.clock.advance(600_000);
  expect(lab.sentTexts()).toHaveLength(3);
  await lab.drain(end);
});

it('several claims are given back one by one, however often the disk breaks it off', async () => {
  const lab = new WorkerLab({ delivery: 'pull', pullScope: 'all' });
  lab.agent.answer = async (request, signal, agent) => {
    for (const to of ['@a', '@b']) await turnOf(lab).send({ to, text: `to ${to}`, interim: false });
    return says('')(request, signal, agent);
  };
  const { end } = await lab.start();
  const { settle } = lab.store.mailbox;
  let calls = 0;
  Object.assign(lab.store.mailbox, {
    settle: (...args: Parameters<typeof settle>) => {
      calls += 1;
      return calls === 2 ? full() : settle.apply(lab.store.mailbox, args);
    },
  });
  lab.agent.readyFaults.push({ kind: 'not-ready', message: 'no gateway' });
  for (const sender of ['@a', '@b']) lab.upstream.arrive(sender, 'x');
  lab.worker.wake('manual');
  await lab.clock.advance(120_000);
  expect(lab.sentTexts().toSorted()).toEqual(['to @a', 'to @b']);
  expect(await lab.drain(end)).toMatchObject({ exitCode: 0 });
});

it('what a draining inbox handed over and the disk refused is put down before the worker leaves', async () => {
  const lab = new WorkerLab();
  lab.upstream.drains = true;
  const { end } = await lab.start();
  failsOnce(lab.store.mailbox, 'spool');
  lab.upstream.arrive('@alice', 'x');
  lab.worker.wake('manual');
  await lab.clock.settle();
  expect(await lab.store.mailbox.show('m1')).toBeUndefined();
  await lab.drain(end);
  expect(await lab.store.mailbox.show('m1')).toMatchObject({ state: 'waiting' });
});

it('a session whose task is done ends after the retry that still went on in it', async () => {
  const lab = new WorkerLab();
  const { end } = await lab.start();
  let turns = 0;
  lab.agent.answer = async (request, signal, agent) => {
    turns += 1;
    if (turns > 1) return says('answered')(request, signal, agent);
    await turnOf(lab).taskDone();
    return overloaded(request, signal, agent);
  };
  lab.upstream.arrive('@alice', 'the task');
  await lab.clock.advance(300_000);
  lab.upstream.arrive('@alice', 'something new');
  await lab.clock.advance(120_000);
  expect(lab.sentTexts()).toEqual(['answered', 'answered']);
  expect(lab.agent.prompts[1]).toMatch(/^Continue/);
  expect(lab.agent.wishes.at(-1)).toEqual({ kind: 'fresh' });
  await lab.drain(end);
});
