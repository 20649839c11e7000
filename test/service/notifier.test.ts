// What systemd hears of a worker, over a real datagram socket and its own program.
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Health } from '../../src/domain/status.js';
import { serviceNotifier } from '../../src/service/index.js';
import type { ServiceAgent, ServiceNotifier } from '../../src/service/notifier.js';
import { hold } from '../observe/events.js';
import { CAN_LISTEN, listenAsSystemd, type SystemdSocket } from './systemd-socket.js';

let socket: SystemdSocket;
let troubles: string[];
beforeEach(async () => {
  if (!CAN_LISTEN) return;
  socket = await listenAsSystemd();
  troubles = [];
});
afterEach(() => socket?.close());

function notifier(env: Record<string, string> = {}, pid = process.pid): ServiceNotifier {
  const made = serviceNotifier({
    env: { PATH: process.env.PATH, NOTIFY_SOCKET: socket.path, ...env },
    pid,
    onTrouble: (text) => troubles.push(text),
  });
  if (!made) throw new Error('nobody listens');
  onTestFinished(() => made.close());
  return made;
}

/** The only agent of a process, and how that ends. */
function start(env: Record<string, string> = {}): ServiceAgent & { close(): Promise<void> } {
  const made = notifier(env);
  return Object.assign(made.agent('agentdm'), { close: () => made.close() });
}

const statusOf = (health: Health, why = 'Waiting for a message.') => ({ health, why });

const heard = (text: string, from = 0) => socket.heard.first((one) => one === text, text, from);
const READY = { type: 'agent-ready', sessionId: undefined, pid: 7 } as const;
const STUCK_AFTER_US = { WATCHDOG_USEC: '400000' };

describe.skipIf(!CAN_LISTEN)('systemd', () => {
  it('hears that we start, are ready, how we are, and that we stop', async () => {
    const service = start();
    await heard('STATUS=Starting.');
    expect(socket.heard.items).toEqual(['STATUS=Starting.']);
    let status = statusOf('idle');
    service.watch(async () => status);
    service.on(READY);
    await heard('READY=1');
    await heard('STATUS=idle: Waiting for a message.');
    status = statusOf('working', 'Answering @alice.');
    service.on({ type: 'turn-began' } as never);
    await heard('STATUS=working: Answering @alice.');
    status = statusOf('idle');
    service.on({ type: 'stopping', how: 'drain', text: 'x' });
    await heard('STOPPING=1');
    await service.close();
    expect(socket.heard.items.filter((one) => one === 'READY=1')).toHaveLength(1);
    expect(socket.heard.items.at(-1)).toBe('STATUS=Stopping; idle: Waiting for a message.');
    expect(troubles).toEqual([]);
  });

  it('takes a worker in a hold, or standing by, for ready: it waits and says for what', async () => {
    const held = start();
    held.watch(async () => statusOf('agent-unauthorised', 'Claude Code is not logged in.'));
    held.on({ type: 'hold-began', hold });
    await heard('READY=1');
    await heard('STATUS=agent-unauthorised: Claude Code is not logged in.');
    const from = socket.heard.items.length;
    const second = start();
    second.on({ type: 'standing-by', text: 'Standing by for the worker that holds the inbox.' });
    await heard('READY=1', from);
    await heard('STATUS=Standing by for the worker that holds the inbox.', from);
  });

  it('hears signs of life while the worker lives, and none when it is stuck, deaf or silent', async () => {
    const service = start(STUCK_AFTER_US);
    let status: () => Promise<ReturnType<typeof statusOf>> = async () => statusOf('idle');
    const asked = vi.fn(() => status());
    service.watch(asked);
    service.on(READY);
    await heard('WATCHDOG=1');
    for (const sick of [
      async () => statusOf('stuck'),
      async () => statusOf('deaf'),
      () => Promise.reject(new Error('the store is gone')),
      () => new Promise<ReturnType<typeof statusOf>>(() => {}),
    ]) {
      status = sick;
      // One that was on its way may still come; a further one would not have been.
      const calls = asked.mock.calls.length;
      await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(calls + 2), { timeout: 20_000 });
      const from = socket.heard.items.length;
      const later = asked.mock.calls.length;
      await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(later + 4), { timeout: 20_000 });
      expect(socket.heard.items.slice(from)).not.toContain('WATCHDOG=1');
      status = async () => statusOf('working');
      await heard('WATCHDOG=1', from);
    }
  });

  it('hears signs of life while we stand by, and none that it asked of another process', async () => {
    start(STUCK_AFTER_US);
    await heard('WATCHDOG=1');
    const from = socket.heard.items.length;
    const other = start({ ...STUCK_AFTER_US, WATCHDOG_PID: '1' });
    const asked = vi.fn(async () => statusOf('idle'));
    other.watch(asked);
    await heard('STATUS=idle: Waiting for a message.', from);
    // Its status line alone was asked for; the first one goes on beating.
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('hears of many agents in one process: ready when all are, alive when none is stuck', async () => {
    const service = notifier(STUCK_AFTER_US);
    const [anna, bert, carl] = ['anna', 'bert', 'carl'].map((name) => service.agent(name));
    if (!anna || !bert || !carl) throw new Error('three were asked for');
    let bertIs: Health = 'limited';
    anna.watch(async () => statusOf('idle'));
    bert.watch(async () => statusOf(bertIs));
    anna.on(READY);
    bert.on({ type: 'hold-began', hold });
    await heard('STATUS=3 agents: 1 idle, 1 limited (bert), 1 starting (carl)');
    expect(socket.heard.items).not.toContain('READY=1');
    // It never starts; the others count.
    carl.end();
    await heard('READY=1');
    await heard('STATUS=2 agents: 1 idle, 1 limited (bert)');
    bertIs = 'stuck';
    bert.on(READY);
    await heard('STATUS=2 agents: 1 idle, 1 stuck (bert)');
    const from = socket.heard.items.length;
    anna.on({ type: 'stopping', how: 'drain', text: 'x' });
    bert.end();
    await heard('STOPPING=1', from);
    await heard('WATCHDOG=1', from);
  });

  it('is told nothing by a name that tries to', async () => {
    const service = start();
    service.watch(async () => statusOf('working', `Answering @a\nREADY=1\nMAINPID=1 ${'x'.repeat(500)}.`));
    const line = await socket.heard.first((one) => one.startsWith('STATUS=working'), 'the line');
    expect(line).toMatch(/^STATUS=working: Answering @a READY=1 MAINPID=1 x+…$/);
    expect(socket.heard.items).not.toContain('READY=1');
  });

  it('that cannot be told is complained of once', async () => {
    const service = start({ NOTIFY_SOCKET: '/nowhere/at/all' });
    service.watch(async () => statusOf('idle'));
    await vi.waitFor(() => expect(troubles).toHaveLength(1), { timeout: 20_000 });
    service.on(READY);
    await service.close();
    expect(troubles).toEqual([
      expect.stringMatching(/^systemd cannot be told how we are \(.+\): a unit with/),
    ]);
  });
});

it('is not there without a socket', () => {
  expect(serviceNotifier({ env: { WATCHDOG_USEC: '1' }, pid: 1, onTrouble: () => {} })).toBeUndefined();
});
