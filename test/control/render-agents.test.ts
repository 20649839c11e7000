import { expect, it } from 'vitest';
import { renderAgents } from '../../src/control/render-agents.js';
import type { RunningEntry } from '../../src/control/running-entry.js';
import { status } from './status.js';

const entry = (over: Partial<RunningEntry>): RunningEntry => ({
  kind: 'worker',
  pid: 42,
  processStart: '1',
  startedAt: 0,
  folder: '/home/me/scout',
  identity: 'abcdef0123456789',
  inboxName: 'agentdm',
  ...over,
});

it('shows each agent on a line of its own, also one that gives no answer', () => {
  const messages = { waiting: 1, claimed: 1, retry: 1, answered: 5, silent: 0, dead: 2 };
  const today = { ...status().today, turns: 3, costUsd: 0.5 };
  const rows = [
    { entry: entry({ name: 'scout' }), status: { ...status(), messages, today, stopping: true } },
    { entry: entry({ folder: '/x\n/y', pid: 7 }), status: new Error('Nobody answers.') },
  ];
  const [head, scout, other, ...more] = renderAgents(rows).split('\n');
  expect(head).toMatch(/^agent +health +waiting +dead +today +pid +folder$/);
  expect(scout).toMatch(/^scout +\w+, stopping +3 +2 +3 turns, \$0\.50 +42 +\/home\/me\/scout$/);
  expect(other).toMatch(/^agentdm +no answer +\? +\? +\? +7 +\/x\S* ?\/y$/);
  expect(more).toEqual([]);
  expect(scout?.indexOf('/home')).toBe(head?.indexOf('folder'));
});
