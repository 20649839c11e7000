// The notice to senders who wait long: whom it reaches, when, and that it comes once.
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/lib/deferred.js';
import type { WorkerOptions } from '../../src/worker/options.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

const MINUTE = 60_000;
const ON: Partial<WorkerOptions> = { waitNotice: { afterMs: 5 * MINUTE, text: 'still at work' } };

/** Turns that end when the test says so. */
function slowly(): { answer: Answer; finish(text: string): Promise<void>; lab?: WorkerLab } {
  let release = deferred<string>();
  return {
    answer: async (request, signal, agent) => says(await release.promise)(request, signal, agent),
    async finish(text) {
      release.resolve(text);
      release = deferred<string>();
    },
  };
}

const sends = (lab: WorkerLab): string[] => lab.upstream.sent.map(({ to, text }) => `${to}: ${text}`);

/** A worker in the middle of a turn for @alice, begun at minute 0. */
async function busy(options: Partial<WorkerOptions> = ON) {
  const lab = new WorkerLab(options);
  const turn = slowly();
  lab.agent.answer = turn.answer;
  lab.upstream.arrive('@alice', 'first');
  const { end } = await lab.start();
  expect(lab.agent.prompts).toHaveLength(1);
  return { lab, turn, end };
}

describe('a sender who waits longer than set', () => {
  it('is told once, at that time and not before, and is answered all the same', async () => {
    const { lab, turn, end } = await busy();
    await lab.clock.advance(5 * MINUTE - 1);
    expect(sends(lab)).toEqual([]);
    await lab.clock.advance(1);
    expect(sends(lab)).toEqual(['@alice: still at work']);
    expect(lab.upstream.sent[0]?.replyToId).toBe('m1');
    await lab.clock.advance(60 * MINUTE);
    await turn.finish('here');
    await lab.clock.settle();
    expect(sends(lab)).toEqual(['@alice: still at work', '@alice: here']);
    expect(lab.of('notice').map(({ text }) => text)).toEqual([
      '@alice has waited 5 m for an answer; it is told that its message has come in.',
    ]);
    await lab.drain(end);
  });

  it('is told in the middle of a turn for somebody else, each at the end of the own wait', async () => {
    const { lab, turn, end } = await busy();
    await lab.clock.advance(2 * MINUTE);
    lab.upstream.arrive('@bob', 'hello');
    // The look that finds it comes with the timer, within the minute.
    await lab.clock.advance(5 * MINUTE);
    expect(sends(lab)).toEqual(['@alice: still at work']);
    await lab.clock.advance(MINUTE);
    expect(sends(lab)).toEqual(['@alice: still at work', '@bob: still at work']);
    await turn.finish('here');
    await lab.drain(end);
  });

  it('is told of what waits as a whole: later messages of the same batch bring no second notice', async () => {
    const { lab, turn, end } = await busy();
    lab.upstream.arrive('@bob', 'one');
    await lab.clock.advance(4 * MINUTE);
    lab.upstream.arrive('@bob', 'two');
    await lab.clock.advance(30 * MINUTE);
    expect(sends(lab).filter((text) => text.startsWith('@bob'))).toEqual(['@bob: still at work']);
    await turn.finish('here');
    await lab.drain(end);
  });

  it('is told again only of a later batch that waits as long again', async () => {
    const { lab, turn, end } = await busy();
    await lab.clock.advance(6 * MINUTE);
    lab.upstream.arrive('@alice', 'second');
    await lab.clock.advance(MINUTE);
    await turn.finish('here');
    await lab.clock.advance(3 * MINUTE);
    expect(lab.agent.prompts).toHaveLength(2);
    expect(sends(lab)).toEqual(['@alice: still at work', '@alice: here']);
    await lab.clock.advance(3 * MINUTE);
    expect(sends(lab).at(-1)).toBe('@alice: still at work');
    await turn.finish('here, too');
    await lab.drain(end);
    expect(sends(lab)).toHaveLength(4);
  });

  it('is told while turns are on hold', async () => {
    const lab = new WorkerLab(ON);
    lab.flags.pausedNow = true;
    lab.upstream.arrive('@alice', 'first');
    const { end } = await lab.start();
    await lab.clock.advance(5 * MINUTE);
    expect(sends(lab)).toEqual(['@alice: still at work']);
    await lab.drain(end);
  });

  it('is not told again after a restart, and those are whose time came in between', async () => {
    const first = new WorkerLab(ON);
    first.flags.pausedNow = true;
    first.upstream.arrive('@alice', 'first');
    const { end } = await first.start();
    await first.clock.advance(4 * MINUTE);
    first.upstream.arrive('@bob', 'hello');
    await first.clock.advance(2 * MINUTE);
    await first.drain(end);
    expect(sends(first)).toEqual(['@alice: still at work']);

    await first.clock.advance(60 * MINUTE);
    const second = new WorkerLab(ON, first);
    second.flags.pausedNow = true;
    const again = await second.start();
    await second.clock.advance(30 * MINUTE);
    expect(sends(second)).toEqual(['@alice: still at work', '@bob: still at work']);
    await second.drain(again.end);
  });
});

describe('nobody is told', () => {
  it('where it is off, which it is unless set', async () => {
    const { lab, turn, end } = await busy({});
    await lab.clock.advance(100 * MINUTE);
    expect(sends(lab)).toEqual([]);
    await turn.finish('here');
    await lab.drain(end);
  });

  it('who is answered in time', async () => {
    const { lab, turn, end } = await busy();
    await lab.clock.advance(4 * MINUTE);
    await turn.finish('here');
    await lab.clock.advance(30 * MINUTE);
    expect(sends(lab)).toEqual(['@alice: here']);
    await lab.drain(end);
  });

  it('who has heard from the agent itself that it takes long', async () => {
    const { lab, turn, end } = await busy();
    const open = lab.desk.of(lab.token);
    if (typeof open === 'string') throw new Error(open);
    await open.send({ to: '@alice', text: 'on it', interim: true });
    await lab.clock.advance(30 * MINUTE);
    await turn.finish('here');
    await lab.clock.settle();
    expect(sends(lab)).toEqual(['@alice: on it', '@alice: here']);
    await lab.drain(end);
  });

  it('who is not answered here at all', async () => {
    const { lab, turn, end } = await busy({ ...ON, admission: { allow: ['@alice'], deny: [] } });
    lab.upstream.arrive('@mallory', 'hello');
    lab.upstream.arrive('#team', 'hello all', { sender: '@carol' });
    await lab.clock.advance(30 * MINUTE);
    expect(sends(lab)).toEqual(['@alice: still at work']);
    await turn.finish('here');
    await lab.drain(end);
  });
});
