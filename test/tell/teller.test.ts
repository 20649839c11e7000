// The teller as a whole: real receivers and commands, a clock that a test moves, and restarts.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HoldReason } from '../../src/domain/hold.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { readTold } from '../../src/tell/memory.js';
import { type Teller, type TellerOptions, teller } from '../../src/tell/teller.js';
import { looked } from '../observe/events.js';
import { Feed } from '../support/agent-lab.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { receiver } from './receiver.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const MINUTE = 60_000;

let folder: string;
let clock: VirtualClock;
let notices: Feed<string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'teller-'));
  const made = folder;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  clock = new VirtualClock(Date.now());
  notices = new Feed();
});

const memory = (): string => join(folder, 'told.json');

async function start(over: Partial<TellerOptions>): Promise<Teller> {
  let ids = 0;
  const made = teller({
    inbox: 'agentdm',
    folder,
    onHold: undefined,
    onDead: undefined,
    rules: { reasons: ['inbox-down', 'lease-lost'], afterMs: MINUTE, intervalMs: 10 * MINUTE },
    clock,
    ids: { uuid: () => `id${ids++}`, word: () => 'word' },
    environment: { PATH: process.env.PATH ?? '' },
    secrets: ['hunter2hunter2'],
    memory: memory(),
    told: await readTold(memory()),
    deaths: [],
    observer: { on: (event) => event.type === 'notice' && notices.add(`${event.level}: ${event.text}`) },
    ...over,
  });
  onTestFinished(() => made.close(0));
  return made;
}

const holdOf = (reason: HoldReason, since: number) => ({
  reason,
  why: 'hunter2hunter2 is why',
  since,
  until: undefined,
});
const began = (reason: HoldReason = 'inbox-down'): WorkerEvent => ({
  type: 'hold-began',
  hold: holdOf(reason, clock.now()),
});
const over = (reason: HoldReason = 'inbox-down'): WorkerEvent => ({
  type: 'hold-ended',
  hold: holdOf(reason, 0),
  at: clock.now(),
});
const dead = (...messages: string[]): WorkerEvent => ({
  type: 'dead',
  claimId: 'c1',
  conversation: '@alice',
  messages,
  attempts: 5,
  error: 'hunter2hunter2 failed',
});
const hook = (url: string) => ({ kind: 'webhook', url, secrets: [SECRET] }) as const;
const line = (text: string) => ({ kind: 'shell', line: text }) as const;

describe('a hold', () => {
  it('is told at both edges, without the secrets of anybody', async () => {
    const { url, posts } = await receiver();
    const it = await start({ onHold: hook(url) });
    it.on(began());
    await clock.advance(MINUTE);
    const first = await posts.first(() => true, 'the beginning');
    expect(first.verify(SECRET)).toMatchObject({
      type: 'hold.began',
      data: { inbox: 'agentdm', reason: 'inbox-down', why: '[redacted] is why' },
    });
    await notices.first(
      (text) => text === 'info: on_hold: told of the hold inbox-down by a webhook, at try 1',
      'it',
    );
    it.on(over());
    const second = await posts.first((got) => got !== first, 'the end');
    expect(second.verify(SECRET).type).toBe('hold.ended');
    expect(second.id).not.toBe(first.id);
  });

  it('of a while ago is over after a restart, when a look succeeds', async () => {
    const { url, posts } = await receiver();
    const first = await start({ onHold: hook(url) });
    first.on(began());
    await clock.advance(MINUTE);
    await posts.first(() => true, 'the beginning');
    await notices.first(() => true, 'what became of it');
    await first.close(1_000);
    const second = await start({ onHold: hook(url) });
    second.on(looked());
    const end = await posts.first((got) => got.body.includes('hold.ended'), 'the end');
    expect(end.verify(SECRET).data).toMatchObject({ reason: 'inbox-down' });
  });

  it('that the run ends by is told before the process ends', async () => {
    const { url, posts } = await receiver();
    const it = await start({ onHold: hook(url) });
    it.on(began('inbox-down'));
    it.on(began('lease-lost'));
    await it.close(10_000);
    expect(posts.items.map((got) => got.verify(SECRET).data.reason)).toEqual(['lease-lost']);
  });
});

describe.skipIf(process.platform === 'win32')('deaths', () => {
  const appends = line('cat >> told; echo "$INBOX_WORKER_EVENT_MESSAGE_ID $INBOX_WORKER_EVENT_COUNT" >> ids');
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8').catch(() => '')).trim();

  it('are told at once, then together; what came last before the end, too', async () => {
    const it = await start({ onDead: appends });
    it.on(dead('m1'));
    await notices.first((text) => text.includes('1 dead message'), 'the first');
    it.on(dead('m2'));
    it.on(dead('m3', 'm4'));
    await clock.advance(10 * MINUTE);
    await notices.first((text) => text.includes('3 dead messages'), 'the others');
    it.on(dead('m5'));
    await it.close(10_000);
    expect((await read('ids')).split('\n')).toEqual(['m1 1', 'm2 3', 'm5 1']);
    expect(await read('told')).not.toContain('hunter2');
    // Closed is closed.
    it.on(dead('m6'));
    await it.close(1_000);
    expect(await read('ids')).not.toContain('m6');
  });

  it('wait for a command that runs: never two at once', async () => {
    const slow = line(
      'mkdir running || echo two >> hurt; while [ ! -e go ]; do sleep 0.02; done; rmdir running; echo x >> done',
    );
    const it = await start({ onDead: slow, rules: { reasons: [], afterMs: 0, intervalMs: 0 } });
    for (const id of ['m1', 'm2', 'm3']) it.on(dead(id));
    await vi.waitFor(async () =>
      readFile(join(folder, 'running')).catch((e) => expect(e.code).toBe('EISDIR')),
    );
    await writeFile(join(folder, 'go'), '');
    await notices.first((text) => text.includes('2 dead messages'), 'the other two, together');
    expect([await read('done'), await read('hurt')]).toEqual(['x\nx', '']);
  });

  it('that nobody was told of before the worker was killed are told at the next start', async () => {
    await start({ onDead: appends });
    await vi.waitFor(async () => expect((await readTold(memory())).deathsUntil).toBe(clock.now()));
    const earlier = { id: 'm9', conversation: '@bob', attempts: 2, lastError: 'x' };
    await start({ onDead: appends, deaths: [earlier] });
    await notices.first((text) => text.includes('1 dead message'), 'it');
    expect(await read('ids')).toBe('m9 1');
  });

  it('of a telling that was cut off are told at the next start; of one that failed, not', async () => {
    const startedAt = clock.now();
    const slow = await start({ onDead: line('exec sleep 300') });
    await clock.advance(1_000);
    slow.on(dead('m1'));
    await slow.close(50);
    expect(notices.items).toEqual([
      expect.stringContaining('could not tell of 1 dead message: the worker ended'),
    ]);
    expect((await readTold(memory())).deathsUntil).toBe(startedAt);
    const failing = await start({ onDead: line('echo oops; exit 1') });
    failing.on(dead('m2'));
    await failing.close(10_000);
    expect(notices.items.at(-1)).toBe(
      'warn: on_dead: could not tell of 1 dead message: it ended with exit code 1: oops',
    );
    expect((await readTold(memory())).deathsUntil).toBe(clock.now());
  });

  it('are told although what was told cannot be kept', async () => {
    await writeFile(join(folder, 'file'), '');
    const it = await start({ onDead: appends, memory: join(folder, 'file', 'told.json') });
    it.on(dead('m1'));
    await it.close(10_000);
    expect(await read('ids')).toBe('m1 1');
    expect(notices.items.filter((text) => text.includes('could not be kept'))).toHaveLength(1);
  });
});

it('takes a damaged memory for none', async () => {
  await writeFile(memory(), '{"deathsUntil":"x","holds":{"inbox-down":7}}');
  expect(await readTold(memory())).toEqual({ deathsUntil: undefined, holds: {} });
});
