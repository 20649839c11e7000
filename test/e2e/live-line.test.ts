// The live line of the built `run`, on a real pseudo-terminal: countdown, tool and tokens as they stream, and an empty
// line whenever somebody else needs the terminal. Without python3 there is no pseudo-terminal, and nothing is shown.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnswerBlock } from '../../src/rehearsal/index.js';
import { type Lab, openLab } from '../support/agent-lab.js';
import { HAS_PTY, PtyProcess } from '../support/pty.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function lab(settings: Record<string, unknown> = {}): Promise<Lab> {
  const opened = await openLab({
    settings: { log_format: 'auto', log_level: 'info', min_sleep: '1h', max_sleep: '1h', ...settings },
  });
  ends.push(() => opened.close());
  return opened;
}

function run(it: Lab, env: Record<string, string> = {}, columns = 80): PtyProcess {
  const worker = new PtyProcess(process.execPath, [MAIN, 'run'], {
    cwd: it.folder,
    env: it.env(env),
    columns,
  });
  ends.push(() => worker.kill());
  return worker;
}

const [CTRL_C, CTRL_Z] = ['\u0003', '\u001a'];
const ERASE = '\u001b[K';

describe.skipIf(!HAS_PTY)('run on a terminal', () => {
  it('shows the countdown, then the tool and the tokens as they stream, and cleans up at Ctrl-C', async () => {
    const it = await lab({ preset: 'everything' });
    const go = join(it.folder, 'go');
    // A tool that runs until we say so; then a text that comes in pieces.
    const steps: { content: AnswerBlock[]; chunkDelayMs?: number }[] = [
      {
        content: [
          {
            type: 'tool_use',
            name: 'Bash',
            input: { command: `until [ -e '${go}' ]; do sleep 0.1; done`, description: 'wait' },
          },
        ],
      },
      { content: [{ type: 'text', text: 'word '.repeat(400) }], chunkDelayMs: 200 },
    ];
    it.api.setScript(() => steps.shift() ?? { content: [{ type: 'text', text: 'done' }] });
    const worker = run(it, { IS_SANDBOX: '1' });
    await worker.bottom(/^idle: next look in (59 m|1 h)/);
    const first = worker.screen.bottom;
    await worker.until(
      ({ bottom }) => bottom.startsWith('idle') && bottom !== first,
      'a countdown that goes on',
    );

    it.say('@alice', 'wait, then talk');
    expect((await it.command('wake')).exitCode).toBe(0);
    await worker.bottom(/^working on @alice: tool Bash, \d+ tokens?, \d+ s$/);
    await writeFile(go, '');
    // Each of them once the one before was seen: tokens that come one by one.
    const seen: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await worker.until(
        ({ bottom }) => {
          const tokens = Number(/^working on @alice: (\d+) tokens/.exec(bottom)?.[1] ?? -1);
          const grown = tokens > (seen.at(-1) ?? 0);
          if (grown) seen.push(tokens);
          return grown;
        },
        `more than ${seen.at(-1)} tokens`,
      );
    }
    await it.answerTo('@alice');
    await worker.bottom(/^idle: .* · 1 turn, \$/);
    // The log stands above, untorn.
    const answered = worker.screen.lines.filter((line) =>
      /answered @alice in .* with 2 model calls$/.test(line),
    );
    expect(answered).toHaveLength(1);

    worker.type(CTRL_C);
    expect(await worker.ended()).toBe('exit 0');
    expect(worker.screen.bottom).toBe('');
    expect(worker.screen.lines.at(-2)).toMatch(/stopped: drained$/);
  });

  it('leaves an empty line to the shell at Ctrl-Z, comes back with fg, and follows the window', async () => {
    const it = await lab();
    const worker = run(it);
    await worker.bottom(/^idle: next look in/);
    worker.type(CTRL_Z);
    await worker.until(({ bottom }) => /^(\^Z)?$/.test(bottom), 'an empty line');
    // Stopped, it says nothing more; a stopped process cannot be waited for by events of its own.
    worker.continue();
    await worker.bottom(/^idle: next look in/);
    worker.resize(16);
    await worker.bottom(/^idle: next loo…$/);
    worker.resize(90);
    await worker.bottom(/^idle: next look in \d+ m/);
    // Narrow or wide, the log above is what it was.
    expect(worker.screen.lines.filter((line) => /Claude Code is ready$/.test(line))).toHaveLength(1);
    worker.type(CTRL_C);
    expect(await worker.ended()).toBe('exit 0');
    expect(worker.screen.bottom).toBe('');
  });

  it('shows no line in CI, which has a terminal and nobody before it', async () => {
    const it = await lab();
    const worker = run(it, { CI: 'true' });
    await worker.until(
      ({ lines }) => lines.some((line) => line.includes('Claude Code is ready')),
      'readiness',
    );
    worker.type(CTRL_C);
    expect(await worker.ended()).toBe('exit 0');
    expect(worker.raw).not.toContain(ERASE);
    expect(worker.raw).not.toContain('idle:');
  });

  it('shows no colours where none are wanted', async () => {
    const it = await lab();
    const worker = run(it, { NO_COLOR: '1' });
    await worker.bottom(/^idle: next look in/);
    worker.type(CTRL_C);
    expect(await worker.ended()).toBe('exit 0');
    expect(worker.raw).toContain(ERASE);
    expect(worker.raw.replaceAll(ERASE, '')).not.toContain('\u001b');
  });
});
