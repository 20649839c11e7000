// `messages`, and ids by their beginning: on a worker that runs, and on one that does not.
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

interface Listed {
  readonly running: boolean;
  readonly messages: readonly {
    id: string;
    seq: number;
    state: string;
    chars: number;
    conversation: string;
  }[];
  readonly more: boolean;
}

async function listed(it: Lab, ...args: string[]): Promise<Listed> {
  const { stdout, exitCode } = await it.command('messages', '--json', ...args);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as Listed;
}

describe('messages', () => {
  it('lists what was answered and what waits, and their ids lead to their lives', async () => {
    lab = await openLab();
    const it = lab;
    const worker = it.run();
    const first = it.say('@alice', 'a very secret walrus');
    await it.answerTo('@alice');
    await worker.log.first((line) => line.event === 'sent', 'the sending');
    await it.command('pause');
    await worker.says(/on hold, paused/);
    const second = it.say('@bob', 'hello');
    await it.command('wake');
    await expect.poll(async () => (await listed(it)).messages.length, { timeout: 30_000 }).toBe(2);

    const all = await listed(it);
    expect(all).toMatchObject({ running: true, more: false });
    expect(all.messages).toMatchObject([
      { id: second, seq: 2, state: 'waiting', conversation: '@bob', chars: 5 },
      { id: first, seq: 1, state: 'answered', conversation: '@alice', chars: 20 },
    ]);
    expect((await listed(it, '--state', 'dead, waiting')).messages).toMatchObject([{ id: second }]);
    expect((await listed(it, '--conversation', '@alice')).messages).toMatchObject([{ id: first }]);
    expect(await listed(it, '--limit', '1')).toMatchObject({ messages: [{ id: second }], more: true });
    expect(await listed(it, '--before', '2')).toMatchObject({ messages: [{ id: first }], more: false });

    const printed = (await it.command('messages')).stdout;
    expect(printed).toMatch(
      new RegExp(
        `^${first} +answered +@alice .* 20 characters +reply sent after .*\n${second} +waiting +@bob`,
      ),
    );
    expect(printed).not.toContain('walrus');
    expect((await it.command('ledger')).stdout).toContain(`@alice  ${first}  answered`);

    // The beginning of an id is enough, wherever one is taken.
    const shown = await it.command('show', first.slice(0, 13));
    expect(shown.stdout).toContain(`message ${first}\n`);
    worker.signal('SIGTERM');
    await worker.ended();
    expect(await listed(it, '--state', 'waiting')).toMatchObject({
      running: false,
      messages: [{ id: second }],
    });
    const dropped = await it.command('drop', second.slice(0, 13), '--json');
    expect(JSON.parse(dropped.stdout)).toMatchObject({ id: second, state: 'silent' });

    for (const args of [
      ['messages', '--state', 'gone'],
      ['messages', '--limit', '201'],
      ['messages', '--before', 'x'],
      ['show', 'nobody'],
    ]) {
      const refused = await it.command(...args);
      expect([args, refused.exitCode]).toEqual([args, 2]);
      expect(refused.stderr).toMatch(/^error: .+\ntry: .+$/);
    }
  });
});
