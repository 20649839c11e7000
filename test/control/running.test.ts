import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseRunning } from '../../src/control/choose.js';
import { listRunning, removeRunning, runningFolder, writeRunning } from '../../src/control/running.js';
import { parseEntry, type RunningEntry } from '../../src/control/running-entry.js';
import { processHome, processStart } from '../../src/lib/process-identity.js';

const entry = (over: Partial<RunningEntry> = {}): RunningEntry => ({
  kind: 'worker',
  pid: process.pid,
  processStart: processStart(process.pid) ?? '',
  startedAt: 1000,
  folder: '/home/me/agent',
  identity: 'abcdef0123456789',
  inboxName: 'agentdm',
  control: { url: 'http://127.0.0.1:4000', token: 'control-token' },
  ...over,
});

describe('the running files', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'running-'));
    folder = runningFolder(root);
    await mkdir(folder, { mode: 0o700 });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const put = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));

  it('are written for their user alone, listed, and taken away', async () => {
    const mine = entry({
      kind: 'rehearsal',
      inbox: { url: 'http://127.0.0.1:5000/mcp', keys: { '@you': 'key-1' } },
      agentAlias: '@agent',
    });
    await writeRunning(folder, mine);
    expect((await stat(join(folder, `${process.pid}.json`))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await listRunning(folder)).toEqual([{ ...mine, home: processHome() }]);
    await removeRunning(folder, process.pid);
    await removeRunning(folder, process.pid);
    expect(await listRunning(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('are one for each agent of a process, and one that ends takes only its own away', async () => {
    for (const name of ['scout', 'clerk-2']) await writeRunning(folder, entry({ name }));
    expect(await readdir(folder)).toEqual([`${process.pid}-clerk-2.json`, `${process.pid}-scout.json`]);
    expect((await listRunning(folder)).map(({ name }) => name).sort()).toEqual(['clerk-2', 'scout']);
    await removeRunning(folder, process.pid, 'scout');
    expect((await listRunning(folder)).map(({ name }) => name)).toEqual(['clerk-2']);
    await put('4194305-scout.json', entry({ pid: 2 ** 22 + 1, name: 'scout' }));
    expect(await listRunning(folder)).toHaveLength(1);
    expect(await readdir(folder)).toEqual([`${process.pid}-clerk-2.json`]);
  });

  it('are none where there is no folder', async () => {
    expect(await listRunning(join(root, 'missing'))).toEqual([]);
  });

  it('of the dead are dropped: a pid that ended, one that was given again, one of another boot', async () => {
    await writeRunning(folder, entry());
    await put('1111.json', entry({ pid: 2 ** 22 + 1 }));
    await put('2222.json', entry({ processStart: 'another start' }));
    await put('3333.json', entry({ home: { ...processHome(), bootId: 'before' } }));
    expect(await listRunning(folder)).toHaveLength(1);
    expect(await readdir(folder)).toEqual([`${process.pid}.json`]);
  });

  it('of another machine or container are neither listed nor removed', async () => {
    await writeRunning(folder, entry());
    await put('7.json', entry({ pid: 7, home: { ...processHome(), host: 'elsewhere' } }));
    await put('8.json', entry({ home: { ...processHome(), pidNamespace: 'pid:[1]' } }));
    expect(await listRunning(folder)).toHaveLength(1);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it('that hold garbage disturb nobody', async () => {
    await writeRunning(folder, entry());
    for (const [name, text] of [
      ['1.json', ''],
      ['2.json', '{"kind":'],
      ['3.json', 'null'],
      ['4.json', '{"kind":"worker","pid":"4"}'],
      ['notes.txt', 'hello'],
      ['5.json.5.abc.tmp', '{}'],
    ] as const) {
      await writeFile(join(folder, name), text);
    }
    expect(await listRunning(folder)).toHaveLength(1);
    expect(await readdir(folder)).toHaveLength(7);
  });

  it('are listed oldest first', async () => {
    await put('1.json', entry({ startedAt: 5 }));
    await put('2.json', entry({ startedAt: 3 }));
    expect((await listRunning(folder)).map((found) => found.startedAt)).toEqual([3, 5]);
  });

  it('hold what was written, and no more', async () => {
    await writeRunning(folder, entry());
    expect(parseEntry(await readFile(join(folder, `${process.pid}.json`), 'utf8'))).toEqual({
      ...entry(),
      home: processHome(),
    });
    const odd = { ...entry(), control: { url: 1 }, inbox: { url: 'u', keys: { a: 1, b: 'k' } }, extra: 1 };
    const { control: _control, ...rest } = entry();
    expect(parseEntry(JSON.stringify(odd))).toEqual({ ...rest, inbox: { url: 'u', keys: { b: 'k' } } });
  });

  it('never throw, whatever they hold', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => parseEntry(text)).not.toThrow();
      }),
    );
  });
});

describe('chooseRunning', () => {
  const a = entry({ pid: 1, folder: '/a', inboxName: 'agentdm', identity: 'aaaaaaaa1' });
  const b = entry({ pid: 2, folder: '/b', inboxName: 'mail', identity: 'bbbbbbbb2' });
  const c = entry({ pid: 3, folder: '/a', inboxName: 'mail', identity: 'cccccccc3' });
  const inbox = entry({ pid: 4, folder: '/a', kind: 'inbox', inboxName: 'local', identity: 'dddddddd4' });

  const s1 = entry({ pid: 5, folder: '/s1', name: 'scout' });
  const s2 = entry({ pid: 5, folder: '/s2', name: 'clerk' });
  const s3 = entry({ pid: 6, folder: '/s3', name: 'scout', inboxName: 'mail' });

  it.each([
    ['the only one, wherever', [a], { dir: '/elsewhere' }, a],
    ['the one of the current folder', [a, b], { dir: '/b/' }, b],
    ['the one named', [a, b], { inbox: 'mail', dir: '/a' }, b],
    ['the one named, by the beginning of its identity', [a, b], { inbox: 'bbbbbb' }, b],
    ['the named one of the current folder, of two of that name', [b, c], { inbox: 'mail', dir: '/a' }, c],
    ['the one that can do it', [a, inbox], { kind: 'inbox' as const }, inbox],
    ['the agent that was named, from whatever folder', [s1, s2, a], { agent: 'clerk', dir: '/s1' }, s2],
    ['the named agent of the named inbox', [s1, s3], { agent: 'scout', inbox: 'mail' }, s3],
    ['one of several kinds', [b, inbox], { kind: ['worker', 'rehearsal'] as const, dir: '/a' }, b],
  ])('takes %s', (_what, entries, choice, expected) => {
    expect(chooseRunning(entries, choice)).toBe(expected);
  });

  it('throws not-running, naming what runs instead', () => {
    expect(() => chooseRunning([])).toThrow('No worker is running.');
    expect(() => chooseRunning([a], { inbox: 'mail' })).toThrow(
      'No worker for the inbox mail is running. Running are: worker agentdm (aaaaaaaa) in /a, pid 1.',
    );
    expect(() => chooseRunning([a], { inbox: 'aaaa' })).toThrow(
      expect.objectContaining({ code: 'not-running' }),
    );
    expect(() => chooseRunning([inbox], { kind: ['worker', 'rehearsal'] })).toThrow(
      'No worker or rehearsal is running.',
    );
  });

  it('tells who runs by name', () => {
    expect(() => chooseRunning([s1], { agent: 'clerk' })).toThrow(
      'No worker named clerk is running. Running are: scout: worker agentdm (abcdef01) in /s1, pid 5.',
    );
    expect(() => chooseRunning([s1, s2])).toThrow(/They are: scout: worker .*; clerk: worker .*pid 5\.$/);
  });

  it('throws ambiguous, listing those it cannot choose from', () => {
    const choose = () => chooseRunning([a, b, c], { dir: '/a' });
    expect(choose).toThrow(expect.objectContaining({ code: 'ambiguous', exitCode: 2 }));
    expect(choose).toThrow(/They are: worker agentdm .* pid 1; worker mail .* pid 3\.$/);
  });
});
