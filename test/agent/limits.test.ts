// What keeps starts and turns within bounds: the breaker and the watchdog, in virtual time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker } from '../../src/agent/breaker.js';
import { Watchdog } from '../../src/agent/watchdog.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('the breaker', () => {
  it('lets the first start pass, and waits longer after each failed one', () => {
    const breaker = new Breaker<string>();
    const waits: number[] = [];
    let now = 0;
    expect(breaker.blocking(now)).toBeUndefined();
    for (let n = 0; n < 12; n += 1) {
      breaker.failed(`try ${n}`, now);
      const blocking = breaker.blocking(now);
      expect(blocking?.outcome).toBe(`try ${n}`);
      waits.push((blocking?.untilAt ?? 0) - now);
      now = blocking?.untilAt ?? 0;
      expect(breaker.blocking(now)).toBeUndefined();
    }
    expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(waits.at(-1)).toBe(300_000);
    breaker.succeeded();
    breaker.failed('later', now);
    expect(breaker.blocking(now)?.untilAt).toBe(now + 1_000);
  });

  it('does not wait for ever when the clock is set back', () => {
    const breaker = new Breaker<string>();
    breaker.failed('x', 10_000_000_000);
    expect(breaker.blocking(0)).toBeUndefined();
  });
});

describe('the watchdog', () => {
  const limits = { silenceMs: 1_000, limitMs: 5_000 };

  it('barks at silence', async () => {
    const clock = new VirtualClock();
    const expired = new Watchdog(clock, limits).expired(new AbortController().signal);
    await clock.advance(1_000);
    expect(await expired).toBe('silence');
  });

  it('is put off by each frame, but not beyond the limit of the turn', async () => {
    const clock = new VirtualClock();
    const watchdog = new Watchdog(clock, limits);
    let seen: string | undefined = 'still waiting';
    const expired = watchdog.expired(new AbortController().signal).then((limit) => {
      seen = limit;
    });
    for (let n = 0; n < 6; n += 1) {
      await clock.advance(800);
      watchdog.feed();
    }
    expect(seen).toBe('still waiting');
    await clock.advance(200);
    await expired;
    expect(seen).toBe('turn');
  });

  it('gives a running tool its own time, an MCP tool another, and goes back when it has ended', async () => {
    const own = { ...limits, limitMs: 60_000, toolMs: 10_000, mcpToolMs: 300 };
    const clock = new VirtualClock();
    const watchdog = new Watchdog(clock, own);
    const expired = watchdog.expired(new AbortController().signal);
    watchdog.feed('Bash');
    await clock.advance(9_999);
    watchdog.feed();
    await clock.advance(999);
    watchdog.feed('mcp__github__search');
    await clock.advance(299);
    watchdog.feed('Bash');
    await clock.advance(10_000);
    expect(await expired).toBe('tool');
    expect(watchdog.silenceMs).toBe(10_000);
  });

  it('barks at an MCP tool at once when its shorter time begins after a longer one', async () => {
    const clock = new VirtualClock();
    const watchdog = new Watchdog(clock, { ...limits, limitMs: 60_000, mcpToolMs: 300 });
    const expired = watchdog.expired(new AbortController().signal);
    await clock.advance(100);
    watchdog.feed('mcp__github__search');
    await clock.advance(300);
    expect(await expired).toBe('tool');
  });

  it('goes with the turn', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const expired = new Watchdog(clock, limits).expired(stop.signal);
    stop.abort();
    expect(await expired).toBeUndefined();
  });

  it('never lets a silence or a turn grow beyond its limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_500 }), { maxLength: 12 }), async (gaps) => {
        const clock = new VirtualClock(0);
        const watchdog = new Watchdog(clock, limits);
        let firedAt: number | undefined;
        watchdog.expired(new AbortController().signal).then(() => {
          firedAt = clock.now();
        });
        let fed = 0;
        for (const gap of gaps) {
          await clock.advance(gap);
          if (firedAt !== undefined) break;
          expect(clock.now() - fed).toBeLessThan(limits.silenceMs);
          expect(clock.now()).toBeLessThan(limits.limitMs);
          fed = clock.now();
          watchdog.feed();
        }
      }),
      { numRuns: 40 },
    );
  });
});
