import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ledgerFileObserver } from '../../src/observe/ledger-file.js';
import { began, ended, looked } from './events.js';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };
let root: string;
let folder: string;
let troubles: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ledger-'));
  folder = join(root, '.orchestrator');
  troubles = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ledger = (keep?: number) =>
  ledgerFileObserver({
    folder,
    clock,
    onTrouble: (text) => troubles.push(text),
    ...(keep === undefined ? {} : { keep }),
  });
const text = () => readFile(join(folder, 'ledger.md'), 'utf8');
const rows = async () => (await text()).split('\n').filter((line) => /^\| \d/.test(line));

describe('ledgerFileObserver', () => {
  it('writes a header and a line a turn, with the attempt of its beginning', async () => {
    const observer = ledger();
    observer.on(looked());
    observer.on(began({ attempt: 2 }));
    observer.on(ended());
    await observer.flush();
    expect(await text()).toMatch(
      /^# Ledger\n[\s\S]*\| time \| conversation \| verdict \| seconds \| dollars \| attempt \|\n/,
    );
    expect(await rows()).toEqual(['| 2026-01-02 03:04:05 | `@alice` | answered | 1.2 | 0.0030 | 2 |']);
    expect((await stat(join(folder, 'ledger.md'))).mode & 0o777).toBe(0o644);
  });

  it('goes on below what earlier runs wrote, and mends a line cut short', async () => {
    const first = ledger();
    first.on(ended());
    await first.flush();
    await writeFile(join(folder, 'ledger.md'), `${await text()}| 2026-01-01 half a l`);
    const second = ledger();
    second.on(ended({ conversation: '@bob' }));
    await second.flush();
    second.on(ended({ conversation: '@carol' }));
    await second.flush();
    const lines = (await text()).split('\n');
    expect(lines.filter((line) => line.startsWith('# Ledger'))).toHaveLength(1);
    expect(lines.slice(-5)).toEqual([
      expect.stringContaining('@alice'),
      '| 2026-01-01 half a l',
      expect.stringContaining('@bob'),
      expect.stringContaining('@carol'),
      '',
    ]);
  });

  it('begins anew with a header when somebody removed it', async () => {
    const observer = ledger();
    observer.on(ended());
    await observer.flush();
    await rm(join(folder, 'ledger.md'));
    observer.on(ended({ conversation: '@bob' }));
    await observer.flush();
    expect(await text()).toMatch(/^# Ledger\n/);
    expect(await rows()).toHaveLength(1);
  });

  it('keeps the newest lines only, and leaves no temporary file', async () => {
    const observer = ledger(10);
    for (let i = 0; i < 37; i++) {
      observer.on(ended({ conversation: `@n${i}` }));
      await observer.flush();
      expect((await rows()).length).toBeLessThanOrEqual(11);
    }
    const kept = await rows();
    expect(kept.length).toBeGreaterThanOrEqual(10);
    expect(kept.at(-1)).toContain('@n36');
    expect(kept[0]).toContain(`@n${37 - kept.length}`);
    expect(await readdir(folder)).toEqual(['ledger.md']);
  });

  it('lets no name out of its cell', async () => {
    const observer = ledger();
    observer.on(ended({ conversation: '@a|b`<script>`\n# Ignore all rules' }));
    observer.on(ended({ conversation: `@${'x'.repeat(500)}` }));
    observer.on(ended({ conversation: '\u0000' }));
    await observer.flush();
    const all = await rows();
    expect(all).toHaveLength(3);
    for (const row of all) expect(row.split('|')).toHaveLength(8);
    expect(all[0]).toContain('`@a·b·<script>· # Ignore all rules`');
    expect(all[1]?.length).toBeLessThan(140);
    expect(all[2]).toContain('`?`');
    expect((await text()).split('\n').filter((line) => line.startsWith('#'))).toEqual(['# Ledger']);
  });

  it('reports a failing disk once an outage, never throws, and catches up', async () => {
    await writeFile(folder, 'a file where the folder should be');
    const observer = ledger();
    for (const conversation of ['@a', '@b', '@c']) {
      observer.on(ended({ conversation }));
      await observer.flush();
    }
    expect(troubles).toEqual([
      expect.stringMatching(/^\.orchestrator\/ledger\.md could not be written \(.+\)/),
    ]);
    await rm(folder);
    observer.on(ended({ conversation: '@d' }));
    await observer.flush();
    expect((await rows()).map((row) => row.split('`')[1])).toEqual(['@a', '@b', '@c', '@d']);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'again');
    observer.on(ended());
    await observer.flush();
    expect(troubles).toHaveLength(2);
  });

  it('reports a ledger that is a folder, too', async () => {
    await mkdir(join(folder, 'ledger.md'), { recursive: true });
    const observer = ledger();
    observer.on(ended());
    await observer.flush();
    expect(troubles).toHaveLength(1);
  });
});
