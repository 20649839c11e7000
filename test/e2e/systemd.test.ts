// What systemd hears of the real worker, started by the very line of the unit.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CAN_LISTEN, listenAsSystemd, type SystemdSocket } from '../service/systemd-socket.js';
import { type Lab, openLab } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const UNIT = resolve(import.meta.dirname, '../../config/deploy/systemd/inbox-worker.service');

describe.skipIf(!CAN_LISTEN)('under systemd', () => {
  let it_: Lab;
  let socket: SystemdSocket;
  beforeEach(async () => {
    [it_, socket] = await Promise.all([openLab(), listenAsSystemd()]);
  });
  afterEach(async () => {
    await it_.close();
    await socket.close();
  });

  async function start(args: readonly string[] = []) {
    const line = /^ExecStart=\S+\/inbox-worker (.*)$/m.exec(await readFile(UNIT, 'utf8'))?.[1] ?? '';
    const env = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '2000000' };
    return it_.start(MAIN, [...line.split(' '), ...args], env);
  }
  const heard = (text: string | RegExp, from = 0) =>
    socket.heard.first(
      (one) => (typeof text === 'string' ? one === text : text.test(one)),
      String(text),
      from,
    );

  it('a worker starts, is ready, lives, answers, and stops', async () => {
    const worker = await start();
    await heard('STATUS=Starting.');
    await heard('READY=1');
    await heard('STATUS=idle: Waiting for a message.');
    await heard('WATCHDOG=1');
    const hold = it_.api.hold();
    it_.say('@alice', 'hello');
    await heard('STATUS=working: Answering @alice.');
    const from = socket.heard.items.length;
    await heard('WATCHDOG=1', from);
    // Claude is not handed the socket: it could speak in our name.
    const claude = await readFile(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8');
    const environments = await Promise.all(
      claude
        .trim()
        .split(' ')
        .map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
    );
    const ofClaude = environments.filter((text) => text.includes('INBOX_WORKER_CHILD='));
    expect(ofClaude).toHaveLength(1);
    expect(ofClaude[0]).not.toContain('NOTIFY_SOCKET');
    worker.signal('SIGTERM');
    await heard('STOPPING=1');
    await heard(/^STATUS=Stopping; working: Answering @alice/);
    hold.release();
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it_.answers('@alice')).toHaveLength(1);
  });

  it('one that stands by for another is ready, and alive', async () => {
    const first = it_.run();
    await first.says(/is ready/);
    await start(['--standby']);
    await heard('READY=1');
    await heard(/^STATUS=Standing by for the worker that holds the inbox: process \d+/);
    await heard('WATCHDOG=1');
    const from = socket.heard.items.length;
    first.signal('SIGTERM');
    await heard('STATUS=idle: Waiting for a message.', from);
  });

  it('one that waits for its inbox is ready, and says what it waits for', async () => {
    await it_.inbox.close();
    await start(['--config', join(it_.folder, 'config', 'worker.json')]);
    await heard('READY=1');
    await heard(/^STATUS=inbox-down: /);
  });
});
