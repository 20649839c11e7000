// Told when it matters, by the real worker: a dead letter once, a hold at both edges, and what a kill left untold.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';
import { receiver } from '../tell/receiver.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

const labs: Lab[] = [];
async function lab(settings: Record<string, unknown>): Promise<Lab> {
  const opened = await openLab({ settings: { dead_notice: false, on_hold_after: '0s', ...settings } });
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

/** A command of the folder that adds what it is given to a file. */
const APPEND = 'cat >> told.jsonl';

async function told(it: Lab): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const text = await readFile(join(it.folder, 'told.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The one attempt at it fails. */
function poisoned(it: Lab): string {
  // Claude Code tries some of these again by itself.
  it.api.faults.enqueue({ fault: '400', times: 20 });
  return it.say('@alice', 'a very secret walrus');
}

describe('a dead letter', () => {
  it('is told once, although the run ends with it, and without its words', async () => {
    const it = await lab({ attempts: 1, on_dead: APPEND });
    const id = poisoned(it);
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    const message = { id, conversation: '@alice', attempts: 1, last_error: expect.stringContaining('400') };
    expect(await told(it)).toEqual([
      {
        type: 'message.dead',
        timestamp: expect.any(String),
        data: { inbox: 'agentdm', count: 1, messages: [message] },
      },
    ]);
    expect(it.workers[0]?.lines.join('\n')).toContain('on_dead: told of 1 dead message by a command');
    it.api.faults.clear();
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(await told(it)).toHaveLength(1);
    expect(JSON.stringify(await told(it))).not.toContain('walrus');
  });

  it('of which the worker was killed before it told is told by the next', async () => {
    // It says that it has begun, and never ends.
    const it = await lab({ attempts: 1, on_dead: 'echo begun >&2; echo > begun; exec sleep 300' });
    const id = poisoned(it);
    const worker = it.run();
    await vi.waitFor(() => readFile(join(it.folder, 'begun')), { timeout: 60_000, interval: 50 });
    await worker.kill();
    it.api.faults.clear();
    expect(await it.run(['--once', '--on-dead', APPEND]).ended()).toMatchObject({ exitCode: 0 });
    expect(await told(it)).toMatchObject([{ type: 'message.dead', data: { messages: [{ id }] } }]);
  });
});

describe('a hold', () => {
  it('is told by a signed webhook when it begins and when it is over', async () => {
    const { url, posts } = await receiver();
    const it = await lab({ on_hold: url, on_hold_reasons: ['paused'] });
    await writeFile(
      join(it.folder, '.env'),
      `${await readFile(join(it.folder, '.env'), 'utf8')}TELL_SECRET=${SECRET}\n`,
    );
    const worker = it.run();
    await worker.says(/is ready/);
    await it.command('pause');
    const began = await posts.first((got) => got.body.includes('hold.began'), 'the beginning');
    expect(began.verify(SECRET)).toMatchObject({
      type: 'hold.began',
      data: { inbox: 'agentdm', reason: 'paused', since: expect.any(String) },
    });
    await it.command('resume');
    const ended = await posts.first((got) => got.body.includes('hold.ended'), 'the end');
    expect(ended.verify(SECRET).data).toMatchObject({ reason: 'paused', ended_at: expect.any(String) });
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(posts.items).toHaveLength(2);
    expect(worker.lines.join('\n')).not.toContain(SECRET);
  });

  it('is told of by a single run, too, and its end by the next', async () => {
    const it = await lab({ on_hold: APPEND });
    const closed = join(it.folder, '.env');
    const key = await readFile(closed, 'utf8');
    await writeFile(closed, 'AGENTDM_API_KEY=agentdm_wrong_key_0123456789\n');
    const once = ['--once', '--inbox-id', 'same'];
    expect(await it.run(once).ended()).toMatchObject({ exitCode: 5 });
    expect(await it.run(once).ended()).toMatchObject({ exitCode: 5 });
    expect(await told(it)).toMatchObject([{ type: 'hold.began', data: { reason: 'inbox-unauthorised' } }]);
    await writeFile(closed, key);
    expect(await it.run(once).ended()).toMatchObject({ exitCode: 0 });
    expect(await told(it)).toMatchObject([{ type: 'hold.began' }, { type: 'hold.ended' }]);
    expect(JSON.stringify(await told(it))).not.toContain('agentdm_wrong');
  });
});
