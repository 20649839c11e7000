// What the built worker writes: JSON on stderr and in a file, one line a turn, no words unless asked; and no pipe that
// somebody puts in a file's place keeps it from ending.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';
import { CLAUDE } from '../support/claude-process.js';

const run = promisify(execFile);
const labs: Lab[] = [];
async function lab(settings: Record<string, unknown>): Promise<Lab> {
  const opened = await openLab({ settings });
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

interface Line {
  readonly level: string;
  readonly event?: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}
const parsed = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the log', () => {
  it('is JSON from the first line to the last, with one line for a turn and no word of anybody', async () => {
    const it = await lab({ log_level: 'info', log_format: 'auto', log_file: 'logs/worker.log' });
    const worker = it.run();
    await worker.says(/Claude Code is ready/);
    it.say('@alice', 'a very private question');
    await it.answerTo('@alice');
    it.say('@bob', 'another private question');
    await it.answerTo('@bob');
    await worker.says(/^answered @bob/);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });

    const lines = parsed(worker.lines.join('\n'));
    expect(lines[0]).toMatchObject({ level: 'info', msg: expect.stringMatching(/^The inbox is "agentdm"/) });
    const turns = lines.filter(({ event }) => event === 'turn-ended');
    expect(turns.map(({ level, conversation, verdict }) => [level, conversation, verdict])).toEqual([
      ['info', '@alice', 'answered'],
      ['info', '@bob', 'answered'],
    ]);
    for (const turn of turns) {
      expect(turn).toMatchObject({
        modelCalls: 1,
        costUsd: expect.any(Number),
        durationMs: expect.any(Number),
      });
    }
    expect(worker.lines.join('\n')).not.toContain('private question');
    const file = await readFile(join(it.folder, 'logs/worker.log'), 'utf8');
    expect(parsed(file)).toEqual(lines);
  });

  it('holds what was written and answered where log_bodies asks for it, and says so first', async () => {
    const it = await lab({ log_level: 'info', log_bodies: true });
    const worker = it.run();
    await worker.says(/^With log_bodies on/);
    it.say('@alice', 'What is six times seven?');
    expect(await worker.says(/^@alice wrote: What is six times seven\?$/)).toMatchObject({ event: 'words' });
    expect((await worker.says(/^wrote to @alice: /)).msg).toContain('six times seven');
    worker.signal('SIGTERM');
    await worker.ended();
    const ledger = await readFile(join(it.folder, '.orchestrator/ledger.md'), 'utf8');
    expect(ledger).not.toContain('six times seven');
  });
});

describe('a pipe that nobody reads, in the place of a file', () => {
  it('keeps the worker neither from answering nor from ending', async () => {
    const it = await lab({ claude_path: undefined });
    const folder = join(it.folder, '.orchestrator');
    await mkdir(folder);
    for (const name of ['agent-loop.log', 'ledger.md', 'progress.json'])
      await run('mkfifo', [join(folder, name)]);
    const talkative = join(it.root, 'talkative-claude');
    const script = `#!/bin/sh\necho "said on stderr" >&2\nexec '${CLAUDE}' "$@"\n`;
    await writeFile(talkative, script, { mode: 0o755 });
    const worker = it.run([], { CLAUDE_PATH: talkative });
    it.say('@alice', 'hello');
    await it.answerTo('@alice');
    await worker.says(/agent-loop\.log cannot be written \(.*not a regular file/);
    await worker.says(/ledger\.md could not be written \(.*not a regular file/);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    // Replaced whole at each change, this one is a file again.
    expect(JSON.parse(await readFile(join(folder, 'progress.json'), 'utf8'))).toMatchObject({
      state: 'stopped',
    });
    const { stderr, exitCode } = await it.command('logs');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('agent-loop.log is not a regular file')]);
  });
});

it('hides the keys of inbox and login in what Claude Code prints', async () => {
  const it = await lab({ claude_path: undefined });
  const talkative = join(it.root, 'talkative-claude');
  const script = `#!/bin/sh\necho "refused: $ANTHROPIC_API_KEY" >&2\nexec '${CLAUDE}' "$@"\n`;
  await writeFile(talkative, script, { mode: 0o755 });
  const key = 'a-login-key-of-no-known-shape';
  const worker = it.run([], { CLAUDE_PATH: talkative, ANTHROPIC_API_KEY: key });
  await worker.says(/Claude Code is ready/);
  worker.signal('SIGTERM');
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  const log = await readFile(join(it.folder, '.orchestrator', 'agent-loop.log'), 'utf8');
  expect(log).toContain('refused: [redacted]');
  expect(log + worker.lines.join('\n')).not.toContain(key);
});
