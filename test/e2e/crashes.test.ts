// Killed on purpose: Claude in the middle of a turn, the worker in the middle of a turn, and a polite stop.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Claude Code of this laboratory. */
async function claudeOf(it: Lab): Promise<number> {
  const pids = await processesWith(it.stateRoot);
  const claude = pids.filter((pid) => !it.workers.some((worker) => worker.pid === pid));
  expect(claude.length).toBeGreaterThan(0);
  return claude.at(-1) ?? 0;
}

/** Claude Code writes a prompt to its transcript some moments after the model call has left. */
async function inTranscript(it: Lab, text: string): Promise<void> {
  for (;;) {
    const files = await readdir(it.home, { recursive: true }).catch(() => []);
    for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
      if ((await readFile(join(it.home, file), 'utf8').catch(() => '')).includes(text)) return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('SIGKILL in the middle of a turn', () => {
  it('of Claude: the session is resumed and the message answered once', async () => {
    const it = await lab();
    const worker = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'remember the walrus');
    await hold.reached;
    await inTranscript(it, 'walrus');
    process.kill(await claudeOf(it), 'SIGKILL');
    await worker.says(/retry|again/i);
    hold.release();
    const answer = await it.answerTo('@alice');
    expect(answer.text).toContain('walrus');
    const last = JSON.stringify(it.turnCalls.at(-1)?.body);
    // Resumed: the history still holds the prompt, and the continuation does not repeat it.
    expect(last).toContain('walrus');
    expect(last).toContain('Continue');
    expect(it.turnCalls).toHaveLength(2);
    worker.signal('SIGTERM');
    await worker.ended();
    expect(it.answers('@alice')).toHaveLength(1);
  });

  it('of the worker: no Claude is left, and after a restart the message is answered once', async () => {
    const it = await lab();
    const first = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'remember the walrus');
    await hold.reached;
    await inTranscript(it, 'walrus');
    const claude = await claudeOf(it);
    await first.kill();
    const second = it.run();
    await it.answerTo('@alice');
    hold.release();
    expect(await processesWith(it.stateRoot)).not.toContain(claude);
    second.signal('SIGTERM');
    expect(await second.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
    expect(await processesWith(it.root)).toEqual([]);
  });
});

describe('SIGTERM', () => {
  it('in a turn drains: the answer goes out and the exit code is 0', async () => {
    const it = await lab();
    const worker = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'hello');
    await hold.reached;
    worker.signal('SIGTERM');
    await worker.says(/stopping|drain/i);
    hold.release();
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
    expect(await processesWith(it.root)).toEqual([]);
  });

  it('twice forces, is seen as the cause of the end, and the next run answers', async () => {
    const it = await lab();
    const worker = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'hello');
    await hold.reached;
    worker.signal('SIGTERM');
    await worker.says(/stopping|drain/i);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ signal: 'SIGTERM' });
    hold.release();
    const next = it.run(['--once']);
    expect(await next.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
  });
});
