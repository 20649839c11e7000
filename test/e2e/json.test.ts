// The program keeps to docs/json.md: whatever it prints as JSON is what the contract says, with nothing more or less.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { z } from 'zod';
import * as handling from '../contract/handling.js';
import * as watching from '../contract/watching.js';
import { type Lab, MAIN, openLab, WorkerProcess } from '../support/agent-lab.js';
import { type ForgetfulProxy, startForgetfulProxy } from '../support/forgetful-proxy.js';

let lab: Lab;
let proxy: ForgetfulProxy | undefined;
afterEach(async () => {
  await lab.close();
  await proxy?.close();
});

/** The document of a command, which must be what its schema says. */
async function keeps<S extends z.ZodType>(schema: S, ...args: string[]): Promise<z.output<S>> {
  const { stdout, stderr } = await lab.command(...args, '--json');
  expect([args, stderr.replace(/^warning: .*\n?/gm, '')]).toEqual([args, '']);
  expect([args, /\bnull\b/.test(stdout.replace(/"(?:[^"\\]|\\.)*"/g, '""'))]).toEqual([args, false]);
  return schema.parse(JSON.parse(stdout));
}

it('of an agent that never ran, that runs, and that was stopped', async () => {
  lab = await openLab({ settings: { webhook: true, webhook_port: 0, attempts: 1, dead_notice: false } });
  await keeps(watching.statusStopped, 'status');
  await keeps(watching.next, 'next');
  await keeps(watching.config, 'config');

  const worker = lab.run();
  await worker.says(/is ready/);
  await keeps(watching.statusRunning, 'status');
  lab.say('@alice', 'hello');
  await lab.answerTo('@alice');
  await worker.log.first((line) => line.event === 'sent', 'the sending');
  lab.api.faults.enqueue({ fault: '400', times: 20 });
  const id = lab.say('@bob', 'hi');
  await worker.log.first((line) => line.verdict === 'dead', 'the end of the message');
  lab.api.faults.clear();

  const hold = lab.api.hold();
  lab.say('@carol', 'hello');
  await hold.reached;
  lab.say('@dora', 'hello');
  await worker.says(/looked.*new message/, worker.log.items.length);
  const working = await keeps(watching.statusRunning, 'status');
  expect(working).toMatchObject({ health: 'working', turn: { conversation: '@carol' } });
  expect(await keeps(watching.next, 'next')).toMatchObject({
    does: 'turn',
    next: [{ conversation: '@dora' }],
  });
  expect((await keeps(handling.ledger, 'ledger')).turns[0]?.endedAt).toBeUndefined();
  await keeps(handling.pause, 'pause');
  hold.release();
  await lab.answerTo('@carol');
  await worker.says(/on hold, paused/);
  expect(await keeps(watching.statusRunning, 'status')).toMatchObject({ health: 'paused', holds: [{}] });
  expect(await keeps(watching.next, 'next')).toMatchObject({ does: 'hold' });
  await keeps(handling.dead, 'dead');
  await keeps(handling.messages, 'messages');
  await keeps(handling.show, 'show', id);
  await keeps(handling.show, 'show', id, '--bodies');
  await keeps(watching.lease, 'lease');
  await keeps(watching.logs, 'logs');
  await keeps(watching.dashboard, 'dashboard', '--print');
  await keeps(handling.retryMessage, 'retry', id);
  await keeps(handling.dropMessage, 'drop', id);
  const file = join(lab.folder, 'config', 'worker.json');
  const settings = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...settings, webhook_port: 9, drain: '20s' }));
  expect(await keeps(watching.reload, 'reload')).toMatchObject({ changed: [{}], kept: [{}] });
  await keeps(watching.doctor, 'doctor');

  worker.signal('SIGTERM');
  await worker.ended();
  expect(await keeps(watching.statusStopped, 'status')).toMatchObject({ ended: 'stopped', paused: true });
  await keeps(watching.next, 'next');
  await keeps(watching.lease, 'lease');
  await keeps(handling.pause, 'resume');
});

it('of letters that are sent, read and answered', async () => {
  lab = await openLab();
  const inbox = lab.start(MAIN, ['inbox', '--port', '0', '--quiet']);
  await inbox.says(/listens at/);
  await keeps(handling.sendOnly, 'send', 'hello');
  const read = () => keeps(handling.read, 'read', '--as', '@agent');
  expect(await read()).toMatchObject([{ from: '@you', text: 'hello' }]);
  const waiting = keeps(handling.sendAndWait, 'send', '--wait', '60s', 'are you there?');
  let asked = await read();
  while (asked.length === 0) asked = await read();
  await lab.command('send', '--as', '@agent', '--to', '@you', 'yes');
  expect((await waiting).answer).toMatchObject([{ text: 'yes' }]);
});

it('of an unsure send, and of a watch in a folder that is no agent', async () => {
  lab = await openLab({ vocabularies: { agentdm: true, dms: false } });
  proxy = await startForgetfulProxy(lab.inbox.url);
  const path = join(lab.folder, '.mcp.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace(lab.inbox.url, proxy.url));
  const worker = lab.run();
  for (const [sender, command, schema] of [
    ['@alice', 'drop', handling.dropSend],
    ['@bob', 'retry', handling.retrySend],
  ] as const) {
    proxy.swallow(/"method":"tools\/call".*"name":"send_message"/);
    const id = lab.say(sender, 'hello');
    await worker.log.first((line) => line.msg.includes(`not sent to ${sender}, now unsure`), 'the doubt');
    const { sends } = await keeps(handling.dead, 'dead');
    await keeps(handling.show, 'show', id);
    await keeps(schema, command, sends[0]?.id ?? '');
  }
  worker.signal('SIGTERM');
  await worker.ended();

  const watch = new WorkerProcess(
    ['status', '--watch', '--json', '--interval', '100ms'],
    lab.home,
    lab.env(),
  );
  lab.workers.push(watch);
  const line = await watch.log.first(() => true, 'a line');
  watching.statusTrouble.parse(line);
  watch.signal('SIGTERM');
  expect(await watch.ended()).toMatchObject({ exitCode: 0 });
});
