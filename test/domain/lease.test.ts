import { expect, it } from 'vitest';
import { judgeLease, type LeaseRow } from '../../src/domain/lease.js';

const holder = { host: 'h', bootId: 'b', pidNamespace: 'n', pid: 1, processStart: '77', folder: '/agents/a' };
const row: LeaseRow = { owner: 'them', generation: 3, heartbeatAt: 1_000, acquiredAt: 0, holder };
const me = { ...holder, owner: 'me', pid: 9, processStart: '99' };
const judge = (now: number, startOf: (pid: number) => string | undefined, mine = me): string =>
  judgeLease(row, mine, now, 300_000, startOf);

it('is free without an owner, and ours when we hold it', () => {
  expect(judgeLease(undefined, me, 0, 1, () => undefined)).toBe('free');
  expect(judge(1_000, () => '77', { ...me, owner: 'them' })).toBe('ours');
});

it('is held while its owner lives, even when that is pid 1', () => {
  expect(judge(2_000, () => '77')).toBe('held');
});

it('is taken at once from an owner that is gone, or whose pid somebody else has now', () => {
  expect(judge(2_000, () => undefined)).toBe('dead-owner');
  expect(judge(2_000, () => '78')).toBe('dead-owner');
});

it('never judges pids of another host, boot or namespace: only time tells', () => {
  for (const place of [{ host: 'x' }, { bootId: 'x' }, { pidNamespace: 'x' }]) {
    expect(judge(2_000, () => undefined, { ...me, ...place })).toBe('held');
    expect(judge(301_001, () => undefined, { ...me, ...place })).toBe('stale');
  }
});
