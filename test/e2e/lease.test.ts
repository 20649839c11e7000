// One inbox, one worker: two folders with one key, a paused owner, and the command that shows who holds it.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
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
