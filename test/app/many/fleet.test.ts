// Agents side by side: their starts, what is shared, and that the end of one is not the end of the others.
import { AsyncResource } from 'node:async_hooks';
import { type AddressInfo, createServer } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ComposeOptions } from '../../../src/app/compose.js';
import { type Fleet, openFleet } from '../../../src/app/many/fleet.js';
import { gravest } from '../../../src/app/many/gravest.js';
import { loadAgents } from '../../../src/app/many/load.js';
import { WorkerError } from '../../../src/domain/errors.js';
import { folderWith } from '../../config/folder.js';
import { parseExposition } from '../../support/exposition.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { MemoryDeliveries, Notices } from '../../wake/support.js';
import { DONE, FakeAgent } from './fakes.js';

let clock: VirtualClock;
let agents: Map<string, FakeAgent>;
let composed: Map<string, ComposeOptions>;
/** What the log says of the end of each. */
let ends: string[];
let lines: { agent?: string; msg: string; err?: { stack: string } }[];
/** Called within the start of an agent, and so as its own work. */
let onCompose: (name: string) => void;
let opened: Fleet | undefined;

beforeEach(() => {
  clock = new VirtualClock();
  agents = new Map();
  composed = new Map();
  ends = [];
  lines = [];
  onCompose = () => {};
});
afterEach(() => opened?.close());

/** @param settings what the file of each agent holds */
async function open(settings: Record<string, Record<string, unknown>>): Promise<Fleet> {
  const files: Record<string, unknown> = {};
  for (const [name, own] of Object.entries(settings)) {
    files[`config/agents/${name}.json`] = {
      dir: `../../${name}`,
      webhook_port: 0,
      ...own,
    };
    const headers = { Authorization: `Bearer key-of-${name}` };
    const agentdm = { type: 'http', url: 'http://127.0.0.1:9/mcp', headers };
    files[`${name}/.mcp.json`] = { mcpServers: { agentdm } };
  }
  const cwd = await folderWith(files);
  const plans = await loadAgents({ words: [], flags: {}, env: { HOME: cwd }, cwd });
  const fleet = await openFleet({
    plans,
    env: {},
    version: '0.0.0',
    clock,
    log,
    compose: async (options) => {
      const name = options.settings.name ?? '';
      onCompose(name);
      composed.set(name, options);
      const agent = new FakeAgent();
      agents.set(name, agent);
      return agent;
    },
  });
  opened = fleet;
  return fleet;
}

const log = new Writable({
  write(chunk, _encoding, done) {
    const line = JSON.parse(String(chunk));
    lines.push(line);
    const end = /^It has ended \((\d)\): .*?\. (No other|One other|\d+ other)/.exec(line.msg);
    if (end) ends.push(`${line.agent} with ${end[1]}, ${end[2]} left`);
    done();
  },
});

const agent = (name: string): FakeAgent => {
  const found = agents.get(name);
  if (!found) throw new Error(`${name} was not started`);
  return found;
};
const ready = (name: string): void => {
  for (const { on } of composed.get(name)?.observers ?? [])
    on({ type: 'agent-ready', sessionId: undefined, pid: 1 });
};
const names = (): string[] => [...agents.keys()];

describe('the starts', () => {
  it('come one after the other: when the one before is up, or after a while', async () => {
    const fleet = await open({ a: {}, b: {}, c: {} });
    const running = fleet.run();
    await clock.settle();
    // The listener opens first, which takes real time.
    await until(() => names().length === 1);
    expect(await fleet.agents()).toEqual([
      { name: 'a', path: '/a/', health: 'idle' },
      { name: 'b', path: '/b/', health: 'starting' },
      { name: 'c', path: '/c/', health: 'starting' },
    ]);
    ready('a');
    await clock.settle();
    expect(names()).toEqual(['a', 'b']);
    await clock.advance(1_999);
    expect(names()).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(names()).toEqual(['a', 'b', 'c']);
    fleet.stop('drain', 'enough');
    expect(await running).toBe(0);
  });

  it('that a stop overtakes do not come', async () => {
    const fleet = await open({ a: {}, b: {} });
    const running = fleet.run();
    await until(() => names().length === 1);
    fleet.stop('drain', 'SIGTERM');
    expect(await running).toBe(0);
    expect(names()).toEqual(['a']);
    expect(ends.toSorted()).toEqual(['a with 0, No other left', 'b with 0, One other left'].toSorted());
  });
});

async function started(settings: Record<string, Record<string, unknown>>): Promise<{
  fleet: Fleet;
  running: Promise<number>;
}> {
  const fleet = await open(settings);
  const running = fleet.run();
  for (const name of Object.keys(settings)) {
    await until(() => agents.has(name));
    ready(name);
  }
  await clock.settle();
  return { fleet, running };
}

/** Real sockets need real time. */
async function until(done: () => boolean): Promise<void> {
  for (let round = 0; !done(); round += 1) {
    if (round > 2_000) throw new Error('it did not happen');
    await clock.settle();
  }
}

describe('together they', () => {
  it('are woken and stopped at once, and a second stop forces all', async () => {
    const { fleet, running } = await started({ a: {}, b: {} });
    for (const one of agents.values()) one.obeys = false;
    fleet.wake('signal');
    fleet.stop('drain', 'SIGTERM');
    fleet.stop('force', 'SIGTERM again');
    for (const one of agents.values()) one.ending.resolve(DONE);
    expect(await running).toBe(0);
    const did = ['run', 'woken by signal', 'drain: SIGTERM', 'force: SIGTERM again', 'close'];
    expect([...agents.values()].map((one) => one.did)).toEqual([did, did]);
  });

  it('have one port and one token for control, and a place of its own each', async () => {
    const { fleet, running } = await started({ a: {}, b: {} });
    const [a, b] = [composed.get('a')?.shared, composed.get('b')?.shared];
    expect(a?.token).toBe(b?.token);
    a?.server.mount('control', () => new Response('of a'));
    b?.server.mount('control', () => new Response('of b'));
    const said = await Promise.all(
      [a, b].map(async (shared) => (await fetch(`${shared?.server.url}/control/x`)).text()),
    );
    expect(said).toEqual(['of a', 'of b']);
    expect(new URL(a?.server.url ?? '').port).toBe(new URL(b?.server.url ?? '').port);
    expect(new URL(a?.server.url ?? '').pathname).toBe('/a');
    fleet.stop('drain', 'enough');
    await running;
  });

  it('take webhooks at one port, and an agent that has ended takes none', async () => {
    const { fleet, running } = await started({
      a: { webhook_secret: 'secret-of-a' },
      b: { webhook_secret: 'secret-of-b' },
      c: { webhook: false },
    });
    expect(composed.get('c')?.shared?.door).toBeUndefined();
    const woken: string[] = [];
    let port: number | undefined;
    for (const name of ['a', 'b']) {
      const door = composed.get(name)?.shared?.door;
      const behind = { deliveries: new MemoryDeliveries(), clock, observer: new Notices() };
      const source = door?.attach(behind);
      await source?.start(() => woken.push(name));
      port = source?.address()?.port;
    }
    const post = async (path: string, secret: string): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers })).status;
    };
    expect(await post('/webhook/b', 'secret-of-b')).toBe(202);
    expect(await post('/webhook/b', 'secret-of-a')).toBe(401);
    expect(await post('/webhook/c', 'secret-of-a')).toBe(404);
    await clock.settle();
    expect(woken).toEqual(['b']);
    agent('a').ending.resolve(DONE);
    await until(() => ends.length === 1);
    expect(await post('/webhook/a', 'secret-of-a')).toBe(404);
    expect(await post('/webhook/b', 'secret-of-b')).toBe(202);
    fleet.stop('drain', 'enough');
    await running;
  });
});

describe('their metrics', () => {
  it('stand on one page of the process, behind its token, also while some do not run', async () => {
    const token = 'one-token-of-this-test-012345';
    const fleet = await open({ a: { control_token: token }, b: {} });
    const running = fleet.run();
    await until(() => names().length === 1);
    agent('a').metrics = async () => '# HELP x_total x\n# TYPE x_total counter\nx_total{agent="a"} 1\n';
    const { server } = composed.get('a')?.shared ?? {};
    const page = new URL('/metrics', server?.url);
    expect((await fetch(page)).status).toBe(401);
    const answer = await fetch(page, { headers: { authorization: `Bearer ${token}` } });
    const exposed = parseExposition(await answer.text());
    expect(exposed.value('x_total', { agent: 'a' })).toBe(1);
    const states = ['running', 'starting', 'waiting', 'ended'];
    expect(states.map((state) => exposed.value('inbox_worker_agents', { state }))).toEqual([1, 1, 0, 0]);
    expect(exposed.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    fleet.stop('drain', 'over');
    await running;
  });

  it('are where nobody expects them when the port is taken, which is told', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as AddressInfo;
    try {
      await open({ a: { control_port: port } });
      expect(lines.map(({ msg }) => msg)).toEqual([
        expect.stringContaining(`control_port ${port} is in use by another program`),
      ]);
    } finally {
      squatter.close();
    }
  });
});

describe('the end of one', () => {
  it('leaves the others alone, and the gravest decides the exit code', async () => {
    const { fleet, running } = await started({ a: {}, b: {}, c: {} });
    agent('b').ending.resolve({ exitCode: 6, text: 'spent' });
    await until(() => ends.length === 1);
    agent('c').ending.resolve({ exitCode: 3, text: 'taken over' });
    await until(() => ends.length === 2);
    expect(ends).toEqual(['b with 6, 2 other left', 'c with 3, One other left']);
    expect(agent('a').did).toEqual(['run']);
    expect((await fleet.agents()).map(({ health }) => health)).toEqual(['idle', 'ended', 'ended']);
    agent('a').ending.resolve(DONE);
    expect(await running).toBe(3);
  });

  it('for an error that nobody caught reaches only the one whose work it was', async () => {
    const throwing = new Map<string, () => void>();
    let fleet: Fleet | undefined;
    onCompose = (name) => {
      const crash = (): string | undefined => fleet?.uncaught(new Error(`${name} broke`));
      throwing.set(name, AsyncResource.bind(crash));
    };
    const both = await started({ a: {}, b: {} });
    fleet = both.fleet;
    throwing.get('b')?.();
    await until(() => ends.length === 1);
    expect(ends).toEqual(['b with 1, One other left']);
    expect(agent('b').did).toContain('force: b broke');
    const line = lines.find(({ msg }) => msg === 'An error that nobody caught ends b.');
    expect(line?.err?.stack).toContain('fleet.test.ts');
    expect(agent('a').did).toEqual(['run']);
    fleet.stop('drain', 'enough');
    expect(await both.running).toBe(1);
  });

  it('for an error of what is asked over its listener is its own too', async () => {
    const { fleet, running } = await started({ a: {}, b: {} });
    const { server } = composed.get('b')?.shared ?? {};
    server?.mount('mcp', () => new Response(fleet.uncaught(new Error('broke in a tool')) ?? 'nobody’s'));
    expect(await (await fetch(`${server?.url}/mcp`)).text()).toBe('b');
    expect(agent('a').did).toEqual(['run']);
    fleet.stop('drain', 'enough');
    expect(await running).toBe(1);
  });

  it('for an error that is nobody’s is a drain of all, and a second one forces', async () => {
    const { fleet, running } = await started({ a: {}, b: {} });
    for (const one of agents.values()) one.obeys = false;
    expect(fleet.uncaught(new Error('whose?'))).toBeUndefined();
    expect(fleet.uncaught(new Error('whose?'))).toBeUndefined();
    for (const one of agents.values()) one.ending.resolve(DONE);
    expect(await running).toBe(1);
    const text = 'an error of the process that nobody caught';
    for (const one of agents.values())
      expect(one.did).toEqual(['run', `drain: ${text}`, `force: ${text}`, 'close']);
  });
});

it('starts those whose settings are sound beside one that cannot start', async () => {
  const { fleet, running } = await started({ a: {}, b: {} });
  expect(await fleet.agents()).toHaveLength(2);
  fleet.stop('drain', 'enough');
  await running;
  agents.clear();
  onCompose = (name) => {
    if (name === 'a') throw new WorkerError('lease-held', 'Another worker answers this inbox.');
  };
  await fleet.close();
  const second = await open({ a: {}, b: {} });
  const again = second.run();
  await until(() => agents.has('b'));
  expect((await second.agents()).map(({ health }) => health)).toEqual(['waiting', 'idle']);
  second.stop('drain', 'enough');
  expect(await again).toBe(0);
});

it('leaves no port and no socket behind', async () => {
  const held = (): number => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;
  const before = held();
  for (let round = 0; round < 3; round += 1) {
    const { fleet, running } = await started({ a: {}, b: {} });
    fleet.stop('drain', 'enough');
    await running;
    await fleet.close();
    agents.clear();
  }
  // A closed handle is gone a moment after it has said so.
  await until(() => held() <= before);
});

it.each<[number[], number]>([
  [[], 0],
  [[0, 6, 0], 6],
  [[6, 3], 3],
  [[3, 5], 5],
  [[5, 4], 4],
  [[4, 2, 6], 2],
  [[2, 1, 3], 1],
])('of the exit codes %j the gravest is %i', (codes, expected) => {
  expect(gravest(codes)).toBe(expected);
});
