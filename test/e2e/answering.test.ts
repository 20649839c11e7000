// The main job on real parts: the built worker, the real Claude Code, a real MCP inbox over HTTP, a real SQLite file.
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab, processesWith } from '../support/agent-lab.js';

const labs: Lab[] = [];
async function lab(...args: Parameters<typeof openLab>): Promise<Lab> {
  const opened = await openLab(...args);
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

describe('a message is found', () => {
  it('by poll, and answered with one model call of at most 8 KB; empty looks cost none', async () => {
    const it = await lab();
    const worker = it.run();
    await worker.says(/ready/i);
    const looks = worker.log.items.length;
    await worker.log.first((line) => /looked/i.test(line.msg), 'a second look', looks);
    expect(it.turnCalls).toHaveLength(0);
    it.say('@alice', 'What is six times seven?');
    const answer = await it.answerTo('@alice');
    expect(answer.text).toContain('six times seven');
    expect(it.api.calls().filter((call) => call.kind === 'turn' || call.kind === 'side')).toHaveLength(1);
    expect(it.turnCalls[0]?.bytes).toBeLessThanOrEqual(8 * 1024);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(await processesWith(it.root)).toEqual([]);
  });

  it('by SIGUSR1, long before the timer', async () => {
    const it = await lab({ settings: { min_sleep: '1h', max_sleep: '1h' } });
    const worker = it.run();
    await worker.says(/looked/i);
    it.say('@alice', 'hello');
    worker.signal('SIGUSR1');
    await it.answerTo('@alice');
  });

  it('by a signed webhook, and an unsigned call wakes nobody', async () => {
    const secret = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
    const it = await lab({
      settings: { min_sleep: '1h', max_sleep: '1h', webhook: true, webhook_port: 0, webhook_secret: secret },
    });
    const worker = it.run();
    const line = await worker.says(/webhook.*127\.0\.0\.1:\d+/i);
    const port = /127\.0\.0\.1:(\d+)/.exec(line.msg)?.[1];
    const url = `http://127.0.0.1:${port}/webhook`;
    await worker.says(/looked/i);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    it.inbox.setWebhook('@agent', { url, secret });
    it.say('@alice', 'hello');
    await it.answerTo('@alice');
    expect(it.turnCalls).toHaveLength(1);
  });

  it('by `run --once`, which ends when the answer is out', async () => {
    const it = await lab();
    it.say('@alice', 'hello');
    it.say('@bob', 'hi');
    const worker = it.run(['--once']);
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers()).toHaveLength(2);
    expect(it.turnCalls).toHaveLength(2);
  });
});

describe('conversations', () => {
  it('of two senders never meet in one request; a second message of the same sender is answered with memory', async () => {
    const it = await lab();
    it.run();
    it.say('@alice', 'alpha-secret is my word');
    await it.answerTo('@alice');
    it.say('@bob', 'beta-secret is mine');
    await it.answerTo('@bob');
    it.say('@alice', 'what did I say first?');
    const second = await it.answerTo('@alice', 1);
    expect(second.text).toContain('alpha-secret');
    const bodies = it.turnCalls.map((call) => JSON.stringify(call.body));
    expect(bodies).toHaveLength(3);
    for (const body of bodies)
      expect(body.includes('alpha-secret') && body.includes('beta-secret')).toBe(false);
  });

  it('get a 25,000-character answer in order, in pieces the inbox takes', async () => {
    const it = await lab();
    it.run();
    it.say('@alice', 'long 25000');
    await it.posted.first(
      (message) => message.from === '@agent' && it.answers('@alice').length === 3,
      'three pieces',
    );
    const pieces = it.answers('@alice').map((message) => message.text);
    expect(pieces.every((piece) => piece.length <= 10_000)).toBe(true);
    const whole = pieces.join('');
    expect(whole.length).toBeGreaterThanOrEqual(24_990);
    // The last number is cut off by the length that was asked for.
    const numbers = [...whole.matchAll(/\d+/g)].map((match) => Number(match[0])).slice(0, -1);
    expect(numbers.length).toBeGreaterThan(1_000);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });
});
