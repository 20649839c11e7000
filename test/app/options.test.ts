// From settings to what the worker is told: the few that are not simply passed on.
import { expect, it } from 'vitest';
import { workerOptions } from '../../src/app/options.js';
import { loadSettings } from '../../src/config/index.js';
import { folderWith } from '../config/folder.js';

async function told(flags: Record<string, string>) {
  const cwd = await folderWith();
  return workerOptions(await loadSettings({ flags, env: { HOME: '/home/nobody' }, cwd }), 'agentdm', '1.2.3');
}

it('caps unproven sleeps only where no longest sleep was set', async () => {
  expect((await told({})).backoff.unprovenMaxMs).toBe(60_000);
  expect((await told({ maxSleep: '1h' })).backoff.unprovenMaxMs).toBeUndefined();
});

it('takes an interval for every sleep, whatever else is set', async () => {
  const backoff = { minMs: 30_000, stepMs: 0, maxMs: 30_000, unprovenMaxMs: undefined };
  expect((await told({ interval: '30' })).backoff).toEqual(backoff);
  const all = { interval: '30s', minSleep: '5m', maxSleep: '1h', sleepStep: '1m' };
  expect((await told(all)).backoff).toEqual(backoff);
});

it('tells senders who wait only where a time is set', async () => {
  expect((await told({})).waitNotice).toBeUndefined();
  expect((await told({ waitNoticeAfter: '5m', waitNoticeText: 'soon' })).waitNotice).toEqual({
    afterMs: 300_000,
    text: 'soon',
  });
});
