import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RotatingFile } from '../../src/lib/rotating-file.js';

const run = promisify(execFile);
let folder: string;
let path: string;
let troubles: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rotating-'));
  path = join(folder, 'logs', 'worker.log');
  troubles = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const rotating = (maxBytes = 100, keep = 3) =>
  new RotatingFile({
    path,
    maxBytes,
    keep,
    lost: (count) => `(${count} lost)\n`,
    onTrouble: (text) => troubles.push(text),
  });
const text = (suffix = '') => readFile(path + suffix, 'utf8');
const names = async () => (await readdir(join(folder, 'logs'))).sort();

describe('a rotating file', () => {
  it('is made with its folder, private, and appended to', async () => {
    const file = rotating();
    file.append('one\n');
    file.append('two\n');
    await file.flush();
    file.append('three\n');
    await file.flush();
    expect(await text()).toBe('one\ntwo\nthree\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps so many full ones, none larger than it may be, and every line of what it keeps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean()), { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        async (lines, keep) => {
          await rm(folder, { recursive: true, force: true });
          const file = rotating(100, keep);
          const written: string[] = [];
          for (const [index, [length, flush]] of lines.entries()) {
            const line = `${index}:${'x'.repeat(length)}\n`;
            written.push(line);
            file.append(line);
            if (flush) await file.flush();
          }
          await file.flush();
          if (lines.length === 0) return;
          const all = await names();
          expect(all.length).toBeLessThanOrEqual(keep + 1);
          const parts: string[] = [];
          for (const name of [...all].sort().reverse()) {
            const part = await readFile(join(folder, 'logs', name), 'utf8');
            expect(Buffer.byteLength(part)).toBeLessThanOrEqual(100);
            parts.push(part);
          }
          // The oldest is gone, and nothing else: what is kept is the end of what was written, in order.
          expect(written.join('').endsWith(parts.join(''))).toBe(true);
          expect(parts.at(-1)).not.toBe('');
        },
      ),
      { numRuns: 60 },
    );
    expect(troubles).toEqual([]);
  });

  it('gives room back when fewer are to be kept than before', async () => {
    const many = rotating(10, 4);
    for (let n = 0; n < 9; n += 1) many.append(`line ${n}\n`);
    await many.flush();
    expect(await names()).toHaveLength(5);
    const few = rotating(10, 3);
    few.append('line 9\n');
    await few.flush();
    expect(await names()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2', 'worker.log.3']);
  });

  it('cuts a line that would not fit even alone, between two characters', async () => {
    const file = rotating(20);
    file.append('short\n');
    file.append(`${'ä'.repeat(50)}\n`);
    file.append('after\n');
    await file.flush();
    expect(await text('.1')).toBe(`${'ä'.repeat(9)}\n`);
    expect(await text('.2')).toBe('short\n');
    expect(await text()).toBe('after\n');
  });

  it('goes on in a new line where a crash or a full disk cut the last one short', async () => {
    await mkdir(join(folder, 'logs'));
    await writeFile(path, '{"msg":"cut sho');
    const file = rotating();
    file.append('whole\n');
    await file.flush();
    expect(await text()).toBe('{"msg":"cut sho\nwhole\n');
  });

  it('takes up a rotation that broke off in the middle: a gap, and nothing overwritten', async () => {
    await mkdir(join(folder, 'logs'));
    await writeFile(path, 'x'.repeat(99));
    await writeFile(`${path}.2`, 'older\n');
    const file = rotating(100, 3);
    file.append('new\n');
    await file.flush();
    expect([await text(), await text('.1'), await text('.3')]).toEqual(['new\n', 'x'.repeat(99), 'older\n']);
  });

  it('is made anew when somebody removes or moves it, and knows what others add', async () => {
    const file = rotating();
    file.append('one\n');
    await file.flush();
    await rm(join(folder, 'logs'), { recursive: true });
    file.append('two\n');
    await file.flush();
    expect(await text()).toBe('two\n');
    await appendFile(path, `${'x'.repeat(95)}\n`);
    file.append('three\n');
    await file.flush();
    expect(await text()).toBe('three\n');
    expect(troubles).toEqual([]);
  });

  it('shared by two programs loses no line that it keeps', async () => {
    const [one, two] = [rotating(100, 3), rotating(100, 3)];
    for (let n = 0; n < 3; n += 1) {
      one.append(`one ${n}\n`);
      two.append(`two ${n}\n`);
      await Promise.all([one.flush(), two.flush()]);
    }
    const lines = (await text()).trim().split('\n').sort();
    expect(lines).toEqual(['one 0', 'one 1', 'one 2', 'two 0', 'two 1', 'two 2']);
  });
});

describe('what cannot be written', () => {
  const replacements: [what: string, put: () => Promise<unknown>][] = [
    ['a folder', () => mkdir(path)],
    ['a pipe', () => run('mkfifo', [path])],
  ];
  it.each(replacements)(
    'because %s stands in its place: told once, waits for nobody, and goes on',
    async (_, put) => {
      const file = rotating();
      file.append('before\n');
      await file.flush();
      await rm(path);
      await put();
      file.append('lost 1\n');
      file.append('lost 2\n');
      await file.flush();
      file.append('lost 3\n');
      await file.flush();
      expect(troubles).toEqual([expect.stringContaining('is not a regular file')]);
      await rm(path, { recursive: true });
      file.append('after\n');
      await file.flush();
      expect(await text()).toBe('(3 lost)\nafter\n');
      file.append('and on\n');
      await file.flush();
      expect(await text()).toBe('(3 lost)\nafter\nand on\n');
    },
  );

  it('because the disk refuses is dropped, counted, and told once an outage', async () => {
    await writeFile(join(folder, 'logs'), 'a file where its folder should be');
    const file = rotating();
    for (let n = 0; n < 5; n += 1) {
      file.append(`${n}\n`);
      await file.flush();
    }
    expect(troubles).toHaveLength(1);
    await rm(join(folder, 'logs'));
    file.append('again\n');
    await file.flush();
    expect(await text()).toBe('(5 lost)\nagain\n');
    await rm(join(folder, 'logs'), { recursive: true });
    await writeFile(join(folder, 'logs'), '');
    file.append('x\n');
    await file.flush();
    expect(troubles).toHaveLength(2);
  });

  it('because it comes faster than any disk takes it is dropped, before it fills the memory', async () => {
    const file = rotating(64 * 1024 * 1024);
    const line = `${'x'.repeat(1_000_000)}\n`;
    for (let n = 0; n < 8; n += 1) file.append(line);
    await file.flush();
    const told = '(4 lost)\n';
    expect((await stat(path)).size).toBe(told.length + 4 * line.length);
    expect((await text()).startsWith(told)).toBe(true);
  });
});
