import { describe, expect, it } from 'vitest';
import { coalesced } from '../../src/lib/coalesce.js';
import { deferred } from '../../src/lib/deferred.js';

describe('coalesced', () => {
  it('merges what is asked for in one go, and during a run, and never runs twice at once', async () => {
    const gates = [deferred(), deferred()];
    const began = [deferred(), deferred()];
    let runs = 0;
    let running = 0;
    const job = coalesced(async () => {
      running += 1;
      expect(running).toBe(1);
      began[runs]?.resolve();
      await gates[runs++]?.promise;
      running -= 1;
    });
    job.request();
    job.request();
    await began[0]?.promise;
    for (let i = 0; i < 5; i++) job.request();
    gates[0]?.resolve();
    await began[1]?.promise;
    gates[1]?.resolve();
    await job.idle();
    expect(runs).toBe(2);
    job.request();
    await job.idle();
    expect(runs).toBe(3);
  });

  it('is idle at once when nothing was asked for', async () => {
    await coalesced(async () => {
      throw new Error('not asked for');
    }).idle();
  });
});
