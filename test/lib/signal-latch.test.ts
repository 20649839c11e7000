import { once } from 'node:events';
import { expect, it } from 'vitest';
import { latchSignals } from '../../src/lib/signal-latch.js';

/** SIGUSR2 has no meaning of its own here, so that a mistake ends no test run. */
const SIGNAL = 'SIGUSR2';

async function raise(): Promise<void> {
  const heard = once(process, SIGNAL);
  process.kill(process.pid, SIGNAL);
  await heard;
}

it('keeps a signal that comes before anybody says what it means, and hands over each later one', async () => {
  const latch = latchSignals([SIGNAL]);
  let heard = 0;
  try {
    await raise();
    await raise();
    latch.claim(SIGNAL, () => {
      heard += 1;
    });
    // However many came before: one is enough to say "look".
    expect(heard).toBe(1);
    await raise();
    expect(heard).toBe(2);
  } finally {
    latch.claim(SIGNAL, () => {});
    latch.release(SIGNAL);
  }
  expect(process.listenerCount(SIGNAL)).toBe(0);
});
