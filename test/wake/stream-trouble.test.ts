import { describe, expect, it } from 'vitest';
import type { StreamEnd } from '../../src/wake/stream-connection.js';
import { complaint, troubleOf, waitMs } from '../../src/wake/stream-trouble.js';

const refused = (status: number, retryAfterMs?: number): StreamEnd => ({
  kind: 'refused',
  status,
  retryAfterMs,
});
const closed: StreamEnd = { kind: 'closed' };
const wait = (end: StreamEnd, failures: number, random = 1): number =>
  waitMs(end, failures, { probeMs: 300_000, random });

describe('waitMs', () => {
  it('is 1 s × 2ⁿ up to 30 s, however the stream ended', () => {
    const seconds = [1, 2, 4, 8, 16, 30, 30];
    for (const end of [
      closed,
      { kind: 'silent' },
      { kind: 'unreachable', message: 'x' },
      refused(503),
    ] as const) {
      expect(seconds.map((_, index) => wait(end, index + 1))).toEqual(seconds.map((count) => count * 1000));
    }
  });

  it('is jittered downwards by a quarter', () => {
    expect(wait(closed, 3, 0)).toBe(3000);
    expect(wait(closed, 99, 0)).toBe(22_500);
  });

  it('is what the server asks for, if longer, up to an hour', () => {
    expect(wait(refused(429, 120_000), 1)).toBe(120_000);
    expect(wait(refused(429, 500), 1)).toBe(1000);
    expect(wait(refused(503, 1e12), 1)).toBe(3_600_000);
  });

  it('is a slow probe where trying often is useless', () => {
    for (const end of [refused(401), refused(403), refused(404), refused(204), refused(302)]) {
      expect(wait(end, 1)).toBe(300_000);
      expect(wait(end, 9)).toBe(300_000);
    }
    expect(wait({ kind: 'foreign', contentType: 'text/html' }, 1)).toBe(300_000);
  });
});

describe('troubleOf', () => {
  it('tells passing troubles from those that need somebody', () => {
    expect([401, 403].map((status) => troubleOf(refused(status), 1))).toEqual([
      'unauthorised',
      'unauthorised',
    ]);
    expect([204, 400, 404, 405].map((status) => troubleOf(refused(status), 1))).toEqual(
      Array(4).fill('absent'),
    );
    expect([408, 429, 500, 503].map((status) => troubleOf(refused(status), 1))).toEqual(
      Array(4).fill('down'),
    );
    expect(troubleOf({ kind: 'unreachable', message: 'x' }, 1)).toBe('down');
  });

  it('sees none in a stream that closes now and then', () => {
    expect([1, 2, 3].map((failures) => troubleOf(closed, failures))).toEqual([
      undefined,
      undefined,
      'unsteady',
    ]);
    expect(troubleOf({ kind: 'stopped' }, 9)).toBeUndefined();
  });
});

describe('complaint', () => {
  it('says what is wrong and what happens meanwhile', () => {
    expect(complaint('unauthorised', refused(401), 'https://x.example/s', 300_000)).toBe(
      'The wake stream https://x.example/s refuses the key (HTTP 401). The inbox is still polled; the stream is tried again every 300 s.',
    );
  });
});
