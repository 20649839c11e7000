// Processes that outlive their parent, and how they are found and ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endOrphan } from '../../src/agent/index.js';
import { endMarked, MARK, markedProcesses } from '../../src/agent/tree.js';
import { processStart } from '../../src/lib/process-identity.js';

const children: ChildProcess[] = [];

/** A process that says when it is up, in a session of its own. */
async function start(
  script: string,
  mark: string,
): Promise<{ pid: number; start: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    ['-e', `${script}; console.log('up'); setInterval(() => {}, 60_000)`],
    {
      detached: true,
      env: { [MARK]: mark },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  await once(child.stdout ?? child, 'data');
  const pid = child.pid ?? 0;
  return { pid, start: processStart(pid) ?? '', child };
}

const DEAF = 'process.on("SIGTERM", () => {})';

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('an orphan', () => {
  it.each([
    ['listens', ''],
    ['does not listen', DEAF],
  ])('that %s to SIGTERM is ended', async (_, script) => {
    const { pid, start: startedAt } = await start(script, randomUUID());
    expect(await endOrphan(pid, startedAt)).toBe('ended');
    expect(processStart(pid)).not.toBe(startedAt);
    expect(await endOrphan(pid, startedAt)).toBe('gone');
  });

  it('is let alone when the pid belongs to somebody else by now', async () => {
    const { pid, start: startedAt } = await start('', randomUUID());
    expect(await endOrphan(pid, `${startedAt}0`)).toBe('gone');
    expect(processStart(pid)).toBe(startedAt);
  });

  it.runIf(process.platform === 'linux')('takes along what it had started, by its mark', async () => {
    const mark = randomUUID();
    const straggler = await start(DEAF, mark);
    const foreign = await start('', randomUUID());
    expect(markedProcesses(mark)).toEqual([{ pid: straggler.pid, start: straggler.start }]);
    expect(await endOrphan(4_194_999, '1', mark)).toBe('gone');
    expect(markedProcesses(mark)).toEqual([]);
    expect(processStart(foreign.pid)).toBe(foreign.start);
    await endMarked(mark, 0);
  });
});
