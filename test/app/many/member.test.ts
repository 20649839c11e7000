// One agent among others: when it is started again, when it has ended, and what a crash of it comes to.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ComposedAgent } from '../../../src/app/compose.js';
import { Member, type MemberWish } from '../../../src/app/many/member.js';
import { WorkerError } from '../../../src/domain/errors.js';
import type { Observer, WorkerEvent } from '../../../src/ports/observer.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { Notices } from '../../wake/support.js';
import { DONE, FakeAgent } from './fakes.js';

const HELD = new WorkerError('lease-held', 'Another worker answers this inbox.');

let clock: VirtualClock;
let notices: Notices;
let starts: number[];

beforeEach(() => {
  clock = new VirtualClock();
  notices = new Notices();
  starts = [];
});

type Outcome = ComposedAgent | 'aborted' | Error | Promise<ComposedAgent | 'aborted'>;

/** A member whose starts come out one after the other as given, the last one again and again. */
function member(outcomes: readonly Outcome[], wish: Partial<MemberWish> = {}): Member {
  return new Member({
    name: 'scout',
    greeting: 'The inbox is …',
    once: false,
    view: undefined,
    clock,
    random: { next: () => 0.999999 },
    observer: notices,
    compose: async () => {
      starts.push(clock.now());
      const outcome = outcomes[Math.min(starts.length, outcomes.length) - 1] ?? 'aborted';
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    ...wish,
  });
}

/** All but the greeting. */
const told = (): string[] => notices.texts.filter((text) => text !== 'info: The inbox is …');

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let yes = false;
  promise.then(
    () => (yes = true),
    () => (yes = true),
  );
  await clock.settle();
  return yes;
};

describe('its end', () => {
  it('is how its run ended, after everything was given back', async () => {
    const agent = new FakeAgent();
    const one = member([agent]);
    expect(await one.health()).toBe('starting');
    const running = one.run();
    await clock.settle();
    expect(await one.health()).toBe('idle');
    agent.ending.resolve({ exitCode: 6, text: 'The budget of this run is spent.' });
    expect(await running).toEqual({ exitCode: 6, text: 'The budget of this run is spent.' });
    expect(agent.did).toEqual(['run', 'close']);
    expect(await one.health()).toBe('ended');
  });

  it('comes by itself with --once, which waits for nothing', async () => {
    const agent = new FakeAgent();
    agent.ending.resolve(DONE);
    expect(await member([agent], { once: true }).run()).toEqual(DONE);
    expect(agent.did).toEqual(['run once', 'close']);
    expect(await member([HELD], { once: true }).run()).toMatchObject({ exitCode: 3, error: HELD });
  });

  it('is an exit code, also when its close fails', async () => {
    const agent = new FakeAgent();
    agent.close = () => Promise.reject(new Error('the disk is gone'));
    agent.ending.resolve(DONE);
    expect(await member([agent]).run()).toMatchObject({ exitCode: 1, text: 'the disk is gone' });
  });
});

describe('a start that fails', () => {
  it('is tried again later and later, and told of once', async () => {
    const agent = new FakeAgent();
    const one = member([HELD, HELD, HELD, agent]);
    const running = one.run();
    await one.settled;
    expect(await one.health()).toBe('waiting');
    await clock.until(() => agent.did.length > 0, 'the start');
    const [first = 0] = starts;
    expect(starts.map((at) => (at - first) / 1000)).toEqual([0, 5, 15, 35]);
    expect(told()).toEqual([
      'warn: It cannot start: Another worker answers this inbox. Stop the other worker, or wait for it with --standby. It is tried again in 5 s, then less and less often.',
    ]);
    one.stop('drain', 'enough');
    expect(await running).toEqual(DONE);
  });

  it('is told of again when the reason is another', async () => {
    const one = member([HELD, new WorkerError('claude-not-found', 'No Claude Code.'), HELD]);
    const running = one.run();
    await clock.until(() => starts.length === 4, 'four starts');
    expect(told().map((text) => text.split(':')[2]?.slice(1, 8))).toEqual(['Another', 'No Clau', 'Another']);
    one.stop('drain', 'enough');
    expect(await running).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['a setting', new WorkerError('setting-invalid', 'Wrong.'), 2],
    ['root', new WorkerError('claude-root', 'Root.'), 4],
    ['a fault of ours', new TypeError('x is not a function'), 1],
  ])('for %s is its end', async (_what, error, exitCode) => {
    const one = member([error]);
    expect(await one.run()).toMatchObject({ exitCode, error: { message: error.message } });
    expect(starts).toHaveLength(1);
    await one.settled;
  });
});

describe('a stop', () => {
  it('ends the wait for another try', async () => {
    const one = member([HELD]);
    const running = one.run();
    await clock.settle();
    one.stop('drain', 'SIGTERM');
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(starts).toHaveLength(1);
  });

  it('reaches an agent that is still being made', async () => {
    const agent = new FakeAgent();
    let made = (_agent: ComposedAgent): void => {};
    const making = new Promise<ComposedAgent>((resolve) => {
      made = resolve;
    });
    const one = member([making]);
    const running = one.run();
    await clock.settle();
    one.stop('drain', 'SIGTERM');
    made(agent);
    expect(await running).toEqual(DONE);
    expect(agent.did).toEqual(['drain: a stop was asked for at start', 'run', 'close']);
  });

  it('ends a standby', async () => {
    let seen: AbortSignal | undefined;
    const one = member([], {
      compose: async (signal, observer) => {
        seen = signal;
        observer.on({ type: 'standing-by', text: 'Standing by.' });
        await clock.sleepUntil(Infinity, signal);
        return 'aborted';
      },
    });
    const running = one.run();
    await clock.settle();
    expect(await one.health()).toBe('waiting');
    one.stop('drain', 'SIGTERM');
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(seen?.aborted).toBe(true);
  });

  it('before the start keeps it from starting', async () => {
    const one = member([new FakeAgent()]);
    one.stop('drain', 'SIGTERM');
    expect(await one.run()).toMatchObject({ exitCode: 0 });
    expect(starts).toEqual([]);
  });
});

describe('/healthz', () => {
  it('hears of it as it is, of a failed end for good, and of no end that was wanted', async () => {
    const agent = new FakeAgent();
    const one = member([agent]);
    expect(one.fitness).toEqual({ ok: false, status: 'starting' });
    const running = one.run();
    await clock.settle();
    expect(one.fitness).toEqual({ ok: true, status: 'ok' });
    agent.fit = { ok: false, status: 'deaf' };
    expect(one.fitness).toEqual({ ok: false, status: 'deaf' });
    one.stop('drain', 'SIGTERM');
    await running;
    expect(one.fitness).toBeUndefined();

    const broken = member([new FakeAgent()]);
    const failing = broken.run();
    await clock.settle();
    broken.crash(new Error('x'));
    await failing;
    expect(broken.fitness).toEqual({ ok: false, status: 'stopping' });
  });
});

describe('a reload', () => {
  it('reaches it while it runs, and not before or after', async () => {
    const agent = new FakeAgent();
    const one = member([agent]);
    one.reload();
    const running = one.run();
    await clock.settle();
    one.reload();
    expect(agent.did).toEqual(['run', 'reload']);
    one.stop('drain', 'SIGTERM');
    await running;
    one.reload();
    expect(agent.did.filter((did) => did === 'reload')).toHaveLength(1);
  });
});

describe('a crash', () => {
  it('ends it by force, and is its end whatever the run says', async () => {
    const agent = new FakeAgent();
    const one = member([agent]);
    const running = one.run();
    await clock.settle();
    one.crash(new TypeError('x is not a function'));
    expect(await running).toMatchObject({ exitCode: 1, text: 'x is not a function' });
    expect(agent.did).toEqual(['run', 'force: x is not a function', 'close']);
  });

  it('of which it hangs gives back what it took all the same', async () => {
    const agent = new FakeAgent();
    agent.obeys = false;
    const one = member([agent]);
    const running = one.run();
    await clock.settle();
    one.crash(new Error('lost a promise'));
    expect(await settled(running)).toBe(false);
    await clock.advance(10_000);
    expect(await running).toMatchObject({ exitCode: 1, text: 'lost a promise' });
    expect(agent.did.at(-1)).toBe('close');
  });

  it('while it is being made is its end too', async () => {
    const agent = new FakeAgent();
    let crash = (): void => {};
    const one: Member = member([], {
      compose: async () => {
        crash();
        return agent;
      },
    });
    crash = () => one.crash(new Error('too early'));
    expect(await one.run()).toMatchObject({ exitCode: 1, text: 'too early' });
    expect(agent.did.at(-1)).toBe('close');
  });
});

it('shows a service manager what it does: also that it waits, and that it is over', async () => {
  const seen: string[] = [];
  const view = {
    on: ({ type }: WorkerEvent) => void seen.push(type),
    watch: (status: () => Promise<{ health: string }>) =>
      void status().then(({ health }) => seen.push(`is ${health}`)),
    end: () => void seen.push('end'),
  };
  const agent = new FakeAgent();
  const one = member([HELD, agent], { view });
  const running = one.run();
  await clock.settle();
  expect(seen).toEqual(['standing-by']);
  await clock.until(() => agent.did.length > 0, 'the start');
  expect(seen).toEqual(['standing-by', 'is idle']);
  one.stop('drain', 'enough');
  await running;
  expect(seen.at(-1)).toBe('end');
});

it('is settled when its Claude Code is up, or will not be for now', async () => {
  for (const type of ['agent-ready', 'agent-not-ready'] as const) {
    let observer: Observer | undefined;
    const one = member([], {
      compose: async (_signal, given) => {
        observer = given;
        return new FakeAgent();
      },
    });
    const running = one.run();
    expect(await settled(one.settled)).toBe(false);
    observer?.on({ type: 'woken', kind: 'timer' });
    expect(await settled(one.settled)).toBe(false);
    observer?.on(type === 'agent-ready' ? { type, sessionId: undefined, pid: 1 } : { type, text: 'not yet' });
    expect(await settled(one.settled)).toBe(true);
    one.stop('drain', 'enough');
    await running;
  }
});
