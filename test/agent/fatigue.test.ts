import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fatigue, type RecycleLimits } from '../../src/agent/fatigue.js';
import { VirtualClock } from '../support/virtual-clock.js';

let folder: string;
let file: string;
const clock = new VirtualClock();
let machine = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fatigue-'));
  file = join(folder, 'claude');
  await writeFile(file, 'one');
});
afterEach(() => rm(folder, { recursive: true }));

const fatigue = (limits: RecycleLimits): Fatigue =>
  new Fatigue({ pid: process.pid, file, limits, clock, uptime: () => machine });

async function pass(ms: number, machineMs = ms): Promise<void> {
  await clock.advance(ms);
  machine += machineMs;
}

describe('a process', () => {
  it('stays as long as nothing speaks against it', async () => {
    const one = fatigue({ turns: 10, ageMs: 1_000_000_000, memoryBytes: 1e12 });
    one.turns = 9;
    await pass(3_600_000);
    expect(one.reason()).toBeUndefined();
  });

  it('goes after its turns, its age, its size', async () => {
    const turns = fatigue({ turns: 3 });
    turns.turns = 3;
    expect(turns.reason()).toBe('it has run 3 turns');
    const age = fatigue({ ageMs: 7_200_000 });
    await pass(7_200_000);
    expect(age.reason()).toBe('it is 2.0 h old');
    expect(fatigue({ memoryBytes: 1 }).reason()).toMatch(/^it has grown to \d+ MB$/);
  });

  it('goes when its program is another one, not while it is missing', async () => {
    const one = fatigue({});
    await rm(file);
    expect(one.reason()).toBeUndefined();
    await writeFile(file, 'another one');
    expect(one.reason()).toBe('its program was updated');
  });

  it('is suspect after the machine was suspended, and only then', async () => {
    const one = fatigue({});
    await pass(3_600_000, 3_590_000);
    expect(one.reason()).toBeUndefined();
    await pass(3_600_000, 10_000);
    expect(one.reason()).toBe('the machine was suspended for about 3590 s');
    expect(one.reason()).toBeUndefined();
  });
});
