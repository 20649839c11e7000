// What befalls one of many agents, or all of them: the others go on, and nothing is lost.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type LogLine, processesWith, WorkerProcess } from '../support/agent-lab.js';
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

const HEARS = { webhook: true, webhook_port: 0 };

const said = (worker: WorkerProcess, pattern: RegExp): Promise<LogLine> => worker.says(pattern);

it('one spends the budget of its run and ends; the others answer, and the exit code tells', async () => {
  const fleet = await open({ scout: { budget_run: '$0.001' }, clerk: HEARS, poet: {} });
  const running = fleet.runAll();
  const healthz = await healthOf(running);
  fleet.say('@alice', 'scout', 'your last question');
  await fleet.answerOf('scout', '@alice');
  fleet.say('@alice', 'scout', 'one too many');
  const ended = await said(running, /^It has ended \(6\): /);
  expect(ended).toMatchObject({ agent: 'scout', level: 'error' });
  expect(ended.msg).toMatch(/budget.* 2 other agents go on\.$/);
  expect((await fleet.runningFiles()).join()).not.toContain('scout');
  // It was wanted so: no reason to take the process out of service.
  expect(await healthz()).toEqual([200, { status: 'ok' }]);

  fleet.say('@alice', 'clerk', 'and you?');
  fleet.say('@alice', 'poet', 'and you?');
  await Promise.all([fleet.answerOf('clerk', '@alice'), fleet.answerOf('poet', '@alice')]);
  running.signal('SIGTERM');
  expect(await running.ended()).toMatchObject({ exitCode: 6 });
  expect(fleet.answers('scout', '@alice')).toHaveLength(1);

  // What came too late is kept, and answered by the next run.
  const next = fleet.runAll(['agents', '--once', '--budget-run', 'unlimited']);
  expect(await next.ended()).toMatchObject({ exitCode: 0 });
  expect(fleet.answers('scout', '@alice').at(-1)?.text).toContain('one too many');
});

it('a signal drains all at once: what is in work is answered; a second one forces all', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  const running = fleet.runAll();
  const holds = hold(fleet, ['scout', 'clerk']);
  await holds.reached;
  running.signal('SIGTERM');
  for (const name of ['scout', 'clerk'])
    await running.log.first((one) => one.agent === name && one.event === 'stopping', `the stop of ${name}`);
  holds.release();
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
  for (const name of ['scout', 'clerk']) expect(fleet.answers(name, '@alice')).toHaveLength(1);

  const again = fleet.runAll();
  const held = hold(fleet, ['scout', 'clerk']);
  await held.reached;
  again.signal('SIGTERM');
  await said(again, /stopping \(drain\)/);
  again.signal('SIGTERM');
  expect(await again.ended()).toMatchObject({ signal: 'SIGTERM' });
  expect(again.log.items.filter(({ event, how }) => event === 'stopping' && how === 'force')).toHaveLength(2);
  expect(await fleet.runningFiles()).toEqual([]);
  expect(await processesWith(fleet.lab.stateRoot)).toEqual([]);
});

it('the process is killed in the middle of two turns: no Claude is left, and a restart answers both once', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  const first = fleet.runAll();
  const holds = hold(fleet, ['scout', 'clerk']);
  await holds.reached;
  await first.kill();
  const second = fleet.runAll();
  await Promise.all(['scout', 'clerk'].map((name) => fleet.answerOf(name, '@alice')));
  // That the other one's mail waits is no reason to warn of it: its agent is in this very process.
  expect(second.lines.join()).not.toContain('another mailbox');
  holds.release();
  second.signal('SIGTERM');
  expect(await second.ended()).toMatchObject({ exitCode: 0 });
  for (const name of ['scout', 'clerk']) expect(fleet.answers(name, '@alice')).toHaveLength(1);
  expect(await fleet.runningFiles()).toEqual([]);
  expect(await processesWith(fleet.lab.stateRoot)).toEqual([]);
});

it('one inbox is held by another worker: the others answer, and it joins them when it is free', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  const alone = new WorkerProcess(
    ['run', '--config', 'agents/scout.json', '--name', 'hermit'],
    fleet.lab.root,
    fleet.lab.env(),
  );
  fleet.lab.workers.push(alone);
  await alone.says(/Claude Code is ready/);
  const running = fleet.runAll();
  const waits = await said(running, /It cannot start: Another worker answers this inbox/);
  expect(waits).toMatchObject({ agent: 'scout', level: 'warn' });
  fleet.say('@alice', 'clerk', 'and you?');
  await fleet.answerOf('clerk', '@alice');
  const { stdout } = await fleet.command('status', '--all');
  expect(stdout).toMatch(/^hermit /m);

  alone.signal('SIGTERM');
  expect(await alone.ended()).toMatchObject({ exitCode: 0 });
  fleet.say('@alice', 'scout', 'are you back?');
  await fleet.answerOf('scout', '@alice');
  running.signal('SIGTERM');
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
});

it('Claude Code of one cannot be found: it is told, and the others answer', async () => {
  const fleet = await open({ scout: { claude_path: '/nowhere/claude' }, clerk: HEARS });
  const running = fleet.runAll();
  const healthz = await healthOf(running);
  const waits = await said(running, /It cannot start: There is no program at \/nowhere\/claude/);
  expect(waits).toMatchObject({ agent: 'scout' });
  fleet.say('@alice', 'clerk', 'and you?');
  await fleet.answerOf('clerk', '@alice');
  // Well only while all are, and it names nobody.
  expect(await healthz()).toEqual([503, { status: 'starting' }]);
  running.signal('SIGTERM');
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
});

it('an error that nobody caught ends the agent whose it is; one that is nobody’s drains all', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  const fault = new URL('../fixtures/uncaught.mjs', import.meta.url).href;
  const plant = (word: string): Record<string, string> => ({
    NODE_OPTIONS: `--import=${fault}`,
    PLANT: word,
  });
  const [, key = ''] = /=(.*)/.exec(await readFile(join(fleet.folderOf('scout'), '.env'), 'utf8')) ?? [];
  const running = fleet.runAll(['agents'], plant(key));
  const told = await said(running, /An error that nobody caught ends scout\./);
  expect(told.err).toMatchObject({ message: 'planted', stack: expect.stringContaining('uncaught.mjs') });
  expect((await said(running, /^It has ended \(1\): planted\. One other agent goes on\./)).agent).toBe(
    'scout',
  );
  fleet.say('@alice', 'clerk', 'and you?');
  await fleet.answerOf('clerk', '@alice');
  running.signal('SIGTERM');
  expect(await running.ended()).toMatchObject({ exitCode: 1 });

  const again = fleet.runAll(['agents'], plant('SIGUSR2'));
  for (const name of ['scout', 'clerk'])
    await again.log.first((one) => one.agent === name && one.event === 'agent-ready', `${name}`);
  again.signal('SIGUSR2');
  await said(again, /An error that nobody caught ends all agents\./);
  expect(await again.ended()).toMatchObject({ exitCode: 1 });
  expect(again.log.items.filter(({ event }) => event === 'stopped')).toHaveLength(2);
  expect(await fleet.runningFiles()).toEqual([]);
});

/** What `/healthz` of the process answers. */
async function healthOf(running: WorkerProcess): Promise<() => Promise<[number, unknown]>> {
  const { msg } = await running.says(/Webhooks are taken at/);
  const url = new URL('/healthz', /http:\S+/.exec(msg)?.[0]);
  return async () => {
    const response = await fetch(url);
    return [response.status, await response.json()];
  };
}

/** A message to each, whose model call is held. */
function hold(
  { lab, say }: FleetLab,
  names: readonly string[],
): { readonly reached: Promise<unknown>; release(): void } {
  const holds = names.map((name) => {
    const word = `question for the ${name}`;
    const one = lab.api.hold((call) => JSON.stringify(call.body).includes(word));
    say('@alice', name, word);
    return one;
  });
  return {
    reached: Promise.all(holds.map(({ reached }) => reached)),
    release: () => {
      for (const one of holds) one.release();
    },
  };
}
