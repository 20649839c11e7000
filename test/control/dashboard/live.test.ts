import { expect, it } from 'vitest';
import { follow, type Link } from '../../../src/control/dashboard/page/live.js';

type Answer = 'ok' | 'stopping' | 'lost' | 'locked' | 'refused';

/** Answers in turn; what the page saw and how long it waited, in order. */
async function follows(answers: readonly Answer[], hidden = false): Promise<(Link | number | string)[]> {
  const seen: (Link | number | string)[] = [];
  await new Promise<void>((resolve) => {
    const left = [...answers];
    follow<{ stopping: boolean }>({
      async ask() {
        const answer = left.shift();
        // Nothing is left: this one is never answered.
        if (answer === undefined) {
          resolve();
          return new Promise(() => {});
        }
        if (answer === 'lost') throw new Error('nobody there');
        if (answer === 'locked') throw Object.assign(new Error('401'), { name: 'Locked' });
        if (answer === 'refused') throw Object.assign(new Error('The disk is full.'), { name: 'Refused' });
        return { stopping: answer === 'stopping' };
      },
      isStopping: (status) => status.stopping,
      isHidden: () => hidden,
      onStatus: ({ stopping }) => seen.push(stopping ? 'status: stopping' : 'status'),
      onLink: (link, why) => seen.push(why?.name === 'Refused' ? `${link}: ${why.message}` : link),
      wait: async (ms) => void seen.push(ms),
    });
  });
  return seen;
}

it('asks every two seconds while somebody looks, rarely while nobody does', async () => {
  expect(await follows(['ok', 'ok'])).toEqual(['live', 'status', 2_000, 'status', 2_000]);
  expect(await follows(['ok', 'ok'], true)).toEqual(['live', 'status', 15_000, 'status', 15_000]);
});

it('waits ever longer without an answer, says so after three, and is live again with the first', async () => {
  expect(await follows(['ok', 'lost', 'lost', 'lost', 'lost', 'lost', 'lost', 'ok'])).toEqual([
    'live',
    'status',
    2_000,
    'unsteady',
    2_000,
    4_000,
    'gone',
    8_000,
    16_000,
    30_000,
    30_000,
    'live',
    'status',
    2_000,
  ]);
});

it('knows why nobody answers a worker that had said it was stopping', async () => {
  expect(await follows(['stopping', 'lost', 'lost'])).toEqual([
    'live',
    'status: stopping',
    2_000,
    'stopped',
    2_000,
    4_000,
  ]);
});

it('tells a wrong token from a worker that is gone', async () => {
  expect(await follows(['locked', 'ok'])).toEqual(['locked', 2_000, 'live', 'status', 2_000]);
});

it('hands on why a worker that answers cannot tell its state', async () => {
  expect(await follows(['ok', 'refused', 'ok'])).toEqual([
    'live',
    'status',
    2_000,
    'troubled: The disk is full.',
    2_000,
    'live',
    'status',
    2_000,
  ]);
});

it('asks at once when it is nudged', async () => {
  let asked = 0;
  let live: ReturnType<typeof follow> | undefined;
  await new Promise<void>((resolve) => {
    live = follow<undefined>({
      async ask() {
        asked += 1;
        if (asked === 2) resolve();
        return undefined;
      },
      isStopping: () => false,
      isHidden: () => false,
      // While it asks; what it would wait for then never comes.
      onStatus: () => void (asked === 1 && live?.nudge()),
      onLink: () => {},
      wait: () => new Promise(() => {}),
    });
  });
  expect(asked).toBe(2);
});
