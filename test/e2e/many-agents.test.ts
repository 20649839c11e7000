// Many agents in one process: each answers its own mail, with its own key, gateway and session.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CAN_LISTEN, listenAsSystemd } from '../service/systemd-socket.js';
import { type Feed, type LogLine, processesWith } from '../support/agent-lab.js';
import { type FleetLab, openFleetLab } from '../support/fleet-lab.js';

const labs: FleetLab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

async function open(agents: Parameters<typeof openFleetLab>[0]): Promise<FleetLab> {
  const fleet = await openFleetLab(agents);
  labs.push(fleet);
  return fleet;
}

/** The next log line of this agent of this kind. */
const line = (log: Feed<LogLine>, agent: string, event: string, from = 0): Promise<LogLine> =>
  log.first((one) => one.agent === agent && one.event === event, `${event} of ${agent}`, from);

it('answer each their own mail, and no key, token or session of one is of use to another', {
  timeout: 240_000,
}, async () => {
  const fleet = await open({ scout: {}, clerk: {}, poet: {} });
  const running = fleet.runAll();
  const names = ['clerk', 'poet', 'scout'];
  for (const name of names) fleet.say('@alice', name, `a secret for the ${name}`);
  for (const name of names) {
    expect((await fleet.answerOf(name, '@alice')).text).toContain(`a secret for the ${name}`);
    await line(running.log, name, 'sent');
  }

  // What Claude was told holds nothing of the others, and each has a session and a process of its own.
  for (const call of fleet.lab.turnCalls) {
    const text = JSON.stringify(call.body);
    expect(names.filter((name) => text.includes(`a secret for the ${name}`))).toHaveLength(1);
  }
  const ready = await Promise.all(names.map((name) => line(running.log, name, 'agent-ready')));
  expect(new Set(ready.map(({ sessionId }) => sessionId)).size).toBe(3);
  expect(new Set(ready.map(({ pid }) => pid)).size).toBe(3);

  // A token opens its own gateway and no other; the control token opens all of control and no gateway.
  const gateways = await fleet.gateways();
  expect([...gateways.keys()].sort()).toEqual(names);
  const entries = await Promise.all(
    (await fleet.runningFiles()).map(async (name) =>
      JSON.parse(await readFile(join(fleet.lab.stateRoot, 'inbox-worker', 'running', name), 'utf8')),
    ),
  );
  const control = entries[0].control.token;
  for (const [name, { url, token }] of gateways) {
    for (const [other, gateway] of gateways)
      expect(await lists(url, gateway.token)).toBe(name === other ? 200 : 401);
    expect(await lists(url, control)).toBe(401);
    const base = new URL('.', url).href;
    expect((await fetch(`${base}control/status`, bearer(control))).status).toBe(200);
    expect((await fetch(`${base}control/status`, bearer(token))).status).toBe(401);
    const { agents } = (await (await fetch(`${base}control/agents`, bearer(control))).json()) as {
      agents: object[];
    };
    expect(agents).toEqual(names.map((one) => ({ name: one, path: `/${one}/`, health: 'idle' })));
  }

  // Commands find each by its name, its folder, or all of them.
  expect(entries.map(({ name, kind, pid }) => ({ name, kind, pid }))).toEqual(
    names.map((name) => ({ name, kind: 'worker', pid: running.pid })),
  );
  const { lab } = fleet;
  const poet = JSON.parse((await fleet.command('status', '--agent', 'poet', '--json')).stdout);
  expect(poet).toMatchObject({ name: 'poet', folder: fleet.folderOf('poet'), messages: { answered: 1 } });
  const table = (await fleet.command('status')).stdout.split('\n');
  expect(table.map((row) => row.split(/ {2,}/)[0])).toEqual(['agent', ...names]);
  expect(JSON.parse((await fleet.command('status', '--all', '--json')).stdout).agents).toHaveLength(3);
  expect(await fleet.command('status', '--json')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('try: Say which one with --agent'),
  });
  expect((await fleet.command('ledger', '--agent', 'clerk', '--json')).stdout).toContain('@alice');
  expect((await fleet.command('status', '--dir', fleet.folderOf('scout'))).stdout).toMatch(
    /^scout: worker agentdm/,
  );

  // One is stopped by command: it alone ends.
  expect((await fleet.command('stop', '--agent', 'poet')).stdout).toMatch(/^Stopping \(drain\): worker poet/);
  await line(running.log, 'poet', 'stopped');
  fleet.say('@bob', 'scout', 'are you still there?');
  await fleet.answerOf('scout', '@bob');
  expect((await fleet.command('stop', '--all')).stdout.split('\n')).toHaveLength(2);
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
  expect(await fleet.runningFiles()).toEqual([]);
  expect(await processesWith(lab.stateRoot)).toEqual([]);

  // Of one that is stopped, its settings file tells where to look.
  const ledger = await fleet.command('ledger', '--config', 'agents/poet.json', '--json');
  expect(JSON.parse(ledger.stdout)).toMatchObject({ running: false, turns: [{ conversation: '@alice' }] });
});

const bearer = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});

/** The status with which a gateway answers `tools/list`. */
async function lists(url: string, token: string): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...bearer(token).headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  await response.text();
  return response.status;
}

describe('a webhook', () => {
  const quiet = { min_sleep: '1h', max_sleep: '1h', webhook: true, webhook_port: 0 };

  it('wakes only the agent that it names, a signal all of them', async () => {
    const fleet = await open({
      scout: { ...quiet, webhook_secret: 'of-the-scout' },
      clerk: { ...quiet, webhook_secret: 'of-the-clerk' },
    });
    const running = fleet.runAll();
    const listens = await running.says(/Webhooks are taken at/);
    expect(listens.agent).toBeUndefined();
    const url = /http:\S+/.exec(listens.msg)?.[0] ?? '';
    for (const name of ['clerk', 'scout']) await line(running.log, name, 'agent-ready');
    fleet.say('@alice', 'scout', 'for the scout');
    fleet.say('@alice', 'clerk', 'for the clerk');

    const post = async (path: string, secret: string): Promise<number> =>
      (await fetch(`${url}${path}`, { method: 'POST', ...bearer(secret) })).status;
    expect(await post('/clerk', 'of-the-scout')).toBe(401);
    expect(await post('/nobody', 'of-the-scout')).toBe(404);
    expect(await post('/clerk', 'of-the-clerk')).toBe(202);
    expect((await fleet.answerOf('clerk', '@alice')).text).toContain('for the clerk');
    expect(woken(running.log.items)).toEqual(['clerk by webhook']);
    expect(await post('', 'of-the-scout')).toBe(202);
    expect((await fleet.answerOf('scout', '@alice')).text).toContain('for the scout');
    expect(woken(running.log.items)).toEqual(['clerk by webhook', 'scout by webhook']);

    const from = running.log.items.length;
    running.signal('SIGUSR1');
    for (const name of ['clerk', 'scout']) await line(running.log, name, 'woken', from);
    expect(woken(running.log.items.slice(from)).sort()).toEqual(['clerk by signal', 'scout by signal']);
    running.signal('SIGTERM');
    expect(await running.ended()).toMatchObject({ exitCode: 0 });
  });
});

const woken = (lines: readonly LogLine[]): string[] =>
  lines.filter(({ event }) => event === 'woken').map(({ agent, kind }) => `${agent} by ${kind}`);

describe('a fault', () => {
  it('of one file keeps all from starting, and every one is told', async () => {
    const fleet = await open({ scout: { attempts: 0 }, clerk: {} });
    await writeFile(join(fleet.folderOf('clerk'), '.env'), '');
    const running = fleet.runAll();
    expect(await running.ended()).toMatchObject({ exitCode: 2 });
    const said = running.lines.join('\n');
    expect(said).toMatch(/^error: Nothing was started, since this is wrong:$/m);
    expect(said).toMatch(/^- agents\/clerk\.json: .*AGENTDM_API_KEY/m);
    expect(said).toMatch(/^- agents\/scout\.json: .*attempts/m);
    expect(said).toMatch(/^try: /m);
    expect(await fleet.runningFiles()).toEqual([]);
    expect(said).not.toContain('watching');
  });

  it('in what is typed is told', async () => {
    const fleet = await open({ scout: {} });
    const at = (words: string[]) => fleet.command('run', ...words);
    expect(await at(['agents/scout.json'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error: run takes no file without --all: agents\/scout.json\ntry: /),
    });
    expect(await at(['--all', '--config', 'x.json'])).toMatchObject({ exitCode: 2 });
    expect(await at(['--all', '/nowhere/*.json'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: No file fits /nowhere/*.json.'),
    });
    expect(await at(['--all'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('config/agents does not exist'),
    });
  });
});

it.skipIf(!CAN_LISTEN)('are ready to systemd when all are, and tell how they are in one line', async () => {
  const systemd = await listenAsSystemd();
  try {
    const fleet = await open({ scout: {}, clerk: {} });
    const running = fleet.runAll(['agents'], { NOTIFY_SOCKET: systemd.path });
    const heard = (text: string): Promise<string> => systemd.heard.first((one) => one === text, text);
    await heard('READY=1');
    for (const name of ['clerk', 'scout']) await line(running.log, name, 'agent-ready');
    await heard('STATUS=2 agents: 2 idle');
    running.signal('SIGTERM');
    await heard('STOPPING=1');
    expect(await running.ended()).toMatchObject({ exitCode: 0 });
  } finally {
    await systemd.close();
  }
});

it('work off what waits and end, with --once', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  for (const name of ['scout', 'clerk']) fleet.say('@alice', name, `for the ${name}`);
  const running = fleet.runAll(['agents/*.json', '--once']);
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
  for (const name of ['scout', 'clerk']) expect(fleet.answers(name, '@alice')).toHaveLength(1);
});
