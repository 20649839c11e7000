import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StderrLog } from '../../src/agent/stderr-log.js';

let folder: string;
const troubles: string[] = [];
const options = { now: () => 0, onTrouble: (what: string) => void troubles.push(what) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stderr-'));
  troubles.length = 0;
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the log of stderr', () => {
  it('appends lines with time and pid, without secrets', async () => {
    const path = join(folder, '.orchestrator', 'agent-loop.log');
    const log = new StderrLog(path, options);
    log.line(42, 'first, with my-own-token in it', ['my-own-token']);
    log.line(undefined, 'refused Bearer abcdefghij');
    await log.flush();
    expect(await readFile(path, 'utf8')).toBe(
      '1970-01-01T00:00:00.000Z claude[42] first, with [redacted] in it\n' +
        '1970-01-01T00:00:00.000Z claude[?] refused Bearer [redacted]\n',
    );
  });

  it('keeps the file and one older one within bounds', async () => {
    const path = join(folder, 'log');
    await writeFile(path, 'from an earlier run\n');
    const log = new StderrLog(path, { ...options, maxBytes: 150 });
    for (let n = 0; n < 10; n += 1) log.line(1, `line ${n}`);
    await log.flush();
    const [now, before] = await Promise.all([readFile(path, 'utf8'), readFile(`${path}.1`, 'utf8')]);
    expect(now.length).toBeLessThanOrEqual(150);
    expect(before.length).toBeLessThanOrEqual(150);
    expect(now).toContain('line 9');
    expect(before).not.toContain('earlier run');
  });

  it('says once that it cannot be written, and disturbs nobody', async () => {
    await writeFile(join(folder, 'file'), '');
    const log = new StderrLog(join(folder, 'file', 'log'), options);
    log.line(1, 'one');
    log.line(1, 'two');
    await log.flush();
    expect(troubles).toHaveLength(1);
  });
});
