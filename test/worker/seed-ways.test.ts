// What the seed documents rely on, and no other test shows: did-work, and a process a tick.
import { expect, it } from 'vitest';
import { WorkerLab } from '../support/worker-lab.js';

const MINUTE = 60_000;

it('did-work brings the sleep back to MIN, once', async () => {
  const backoff = { minMs: MINUTE, stepMs: MINUTE, maxMs: 60 * MINUTE, unprovenMaxMs: undefined };
  const lab = new WorkerLab({ backoff });
  const { end } = await lab.start();
  await lab.clock.advance(3 * 60 * MINUTE);
  const quiet = lab.upstream.looks;
  await lab.clock.advance(2 * MINUTE);
  expect(lab.upstream.looks).toBe(quiet);
  lab.flags.events.add('did-work');
  await lab.clock.advance(2 * MINUTE);
  expect(lab.upstream.looks).toBe(quiet + 1);
  await lab.clock.advance(2 * MINUTE);
  expect(lab.upstream.looks).toBe(quiet + 2);
  expect(lab.flags.events.size).toBe(0);
  await lab.drain(end);
});

it('session fresh is a process a tick: it ends with its turn, and every turn begins anew', async () => {
  const lab = new WorkerLab({ session: 'fresh' });
  const { end } = await lab.start();
  for (const text of ['one', 'two']) {
    lab.upstream.arrive('@alice', text);
    lab.worker.wake('manual');
    await lab.clock.settle();
  }
  expect(lab.agent.wishes.map(({ kind }) => kind)).toEqual(['fresh', 'fresh', 'fresh']);
  expect(lab.agent.stopsAfter).toEqual([1, 2]);
  expect(lab.sentTexts()).toEqual(['hello', 'hello']);
  await lab.drain(end);
});
