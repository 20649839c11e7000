// One inbox, one worker: two folders with one key, a paused owner, and the command that shows who holds it.
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';
import { type Lab, openLab, WorkerProcess } from '../support/agent-lab.js';

const labs: Lab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

/** A laboratory with a second folder for the same inbox and key. */
async function twoFolders(settings: Record<string, unknown> = {}): Promise<{ lab: Lab; second: string }> {
  const lab = await openLab({ settings });
  labs.push(lab);
  const second = join(lab.root, 'second');
  await cp(lab.folder, second, { recursive: true });
  return { lab, second };
}

function runIn(lab: Lab, folder: string, args: readonly string[] = []): WorkerProcess {
  const worker = new WorkerProcess(['run', ...args], folder, lab.env());
  lab.workers.push(worker);
  return worker;
}

it('refuses a second folder with the same key, naming the first, and shows the lease', async () => {
  const { lab, second } = await twoFolders();
  const first = lab.run();
  await first.says(/ready/i);
  const refused = runIn(lab, second);
  expect(await refused.ended()).toMatchObject({ exitCode: 3 });
  expect(refused.lines.join('\n')).toMatch(/error: .*another worker/i);
  expect(refused.lines.join('\n')).toContain(lab.folder);
  expect(refused.lines.join('\n')).toMatch(/^try: /m);

  const shown = JSON.parse((await lab.command('lease', '--json')).stdout);
  expect(shown).toMatchObject({ verdict: 'held', row: { holder: { pid: first.pid, folder: lab.folder } } });
  const wrong = await lab.command('lease', '--release', 'deadbeef');
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No owner with the tag') });

  const released = await lab.command('lease', '--release', shown.tag);
  expect(released.stdout).toContain('The lease is free');
  expect(await first.ended()).toMatchObject({ exitCode: 3 });
  lab.say('@alice', 'hello');
  const next = runIn(lab, second, ['--once']);
  expect(await next.ended()).toMatchObject({ exitCode: 0 });
  expect(lab.answers('@alice')).toHaveLength(1);
});

it('passes from a paused owner to one on standby, and the paused one ends when it wakes, without a second answer', async () => {
  const { lab, second } = await twoFolders({ lease_stale: '2s', lease_heartbeat: '200ms' });
  const first = lab.run();
  const hold = lab.api.hold();
  lab.say('@alice', 'hello');
  await hold.reached;
  const standby = runIn(lab, second, ['--standby']);
  await standby.says(/standing by/i);
  first.signal('SIGSTOP');
  await standby.says(/took the inbox over/i);
  hold.release();
  await lab.answerTo('@alice');
  first.signal('SIGCONT');
  expect(await first.ended()).toMatchObject({ exitCode: 3 });
  standby.signal('SIGTERM');
  expect(await standby.ended()).toMatchObject({ exitCode: 0 });
  expect(lab.answers('@alice')).toHaveLength(1);
});

it('of a rehearsal is found from any folder', async () => {
  const lab = await openLab();
  labs.push(lab);
  const rehearsal = new WorkerProcess(['rehearse'], lab.home, lab.env());
  lab.workers.push(rehearsal);
  await rehearsal.says(/That took 1 model call/);
  const { stdout } = await execa(
    process.execPath,
    [join(import.meta.dirname, '../../dist/main.js'), 'lease', '--json'],
    { cwd: lab.root, env: lab.env(), extendEnv: false },
  );
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'held',
    row: { holder: { pid: rehearsal.pid, folder: expect.stringContaining('inbox-rehearsal-') } },
  });
  // What was told: no sum of money, and nothing behind the closing block that it closes.
  const told = rehearsal.lines.join('\n');
  expect(told).toMatch(/answered @you in .* with 1 model call/);
  expect(told).not.toMatch(/ for \$|sent to @you/);
  rehearsal.signal('SIGINT');
  expect(await rehearsal.ended()).toMatchObject({ exitCode: 0 });
});

it('tells of mail under another key only once the inbox has taken this one', async () => {
  const lab = await openLab();
  labs.push(lab);
  await lab.command('pause');
  lab.say('@alice', 'hello');
  await lab.run(['--once']).ended();
  await lab.command('resume');
  await writeFile(join(lab.folder, '.env'), 'AGENTDM_API_KEY=agentdm_0000\n');
  const refused = lab.run(['--once']);
  expect(await refused.ended()).toMatchObject({ exitCode: 5 });
  const said = refused.lines.join('\n');
  expect(said).toMatch(/refused our key \(HTTP 401\)/);
  expect(said).not.toContain('another mailbox');
  const other = lab.inbox.ensureAlias('@agent-two');
  await writeFile(join(lab.folder, '.env'), `AGENTDM_API_KEY=${other}\n`);
  const taken = lab.run(['--once']);
  expect(await taken.ended()).toMatchObject({ exitCode: 0 });
  expect(taken.lines.join('\n')).toContain('another mailbox with 1 unsettled message');
});
