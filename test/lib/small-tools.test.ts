import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { sweepTemporaries, writeFileAtomic } from '../../src/lib/atomic-file.js';
import { DeadlineError, withDeadline } from '../../src/lib/deadline.js';
import { processHome, processStart } from '../../src/lib/process-identity.js';
import { redact } from '../../src/lib/redact.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('writeFileAtomic', () => {
  it('writes with mode 0600, replaces, and leaves no temporary file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atomic-'));
    folders.push(folder);
    const path = join(folder, 'deep', 'file');
    await writeFileAtomic(path, 'one');
    await writeFileAtomic(path, 'two');
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'deep'))).toEqual(['file']);
  });

  it('finds what killed programs left half-made, and leaves what is being written now', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atomic-'));
    folders.push(folder);
    const names = ['a.json.7.0a1b2c3d.tmp', 'b.json', 'b.json.7.tmp', 'c.tmp'];
    for (const name of names) {
      await writeFile(join(folder, name), '');
      await utimes(join(folder, name), 0, 0);
    }
    await writeFile(join(folder, 'new.7.0a1b2c3d.tmp'), '');
    await sweepTemporaries(folder);
    expect((await readdir(folder)).sort()).toEqual([...names.slice(1), 'new.7.0a1b2c3d.tmp']);
    await sweepTemporaries(join(folder, 'missing'));
  });

  it('leaves nothing behind when it fails', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atomic-'));
    folders.push(folder);
    await writeFileAtomic(join(folder, 'taken', 'x'), '');
    await expect(writeFileAtomic(join(folder, 'taken'), 'x')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
  });
});

describe('withDeadline', () => {
  it('passes the result on, or rejects with what took too long', async () => {
    await expect(withDeadline(Promise.resolve(7), 1_000, 'it')).resolves.toBe(7);
    await expect(withDeadline(new Promise(() => {}), 1, 'the answer')).rejects.toThrow(DeadlineError);
    await expect(withDeadline(new Promise(() => {}), 1, 'the answer')).rejects.toThrow(
      'the answer took longer than 1 ms',
    );
  });
});

describe('redact', () => {
  it.each([
    ['Authorization: Bearer agentdm_0123456789abcdef', 'agentdm_0123456789abcdef'],
    ['key sk-ant-api03-abcdefgh', 'sk-ant-api03-abcdefgh'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['postgres://joe:hunter2hunter2@db/x', 'hunter2hunter2'],
    ['{"api_key": "abcdef123456"}', 'abcdef123456'],
    ['my own literal', 'my own literal'],
    ['Authorization: token abcdef123456', 'abcdef123456'],
    ['authorization=Digest abcdef123456', 'abcdef123456'],
    ['curl -H "Authorization: Basic am9lOmh1bnRlcg==" x', 'am9lOmh1bnRlcg'],
    [JSON.stringify(JSON.stringify({ authorization: 'Basic am9lOmh1bnRlcg==' })), 'am9lOmh1bnRlcg'],
    [JSON.stringify(JSON.stringify({ access_token: 'abcdef123456' })), 'abcdef123456'],
    ['Set-Cookie: sid=abcdef123456; Path=/', 'abcdef123456'],
    ['http://joe:p@ss:hunter2@db/x?password=abc', 'hunter2'],
    ['http://joe:x@db/x?password=abc&a=b', 'abc'],
    ['https://abcdef0123456789@git.example/x', 'abcdef0123456789'],
    ['https://x.example/?key=abcdef', 'abcdef'],
    [`ghp${'_'}abcdef0123456789`, 'abcdef0123456789'],
    [`AKI${'A'}ABCDEF0123456789`, 'ABCDEF0123456789'],
    [`ey${'J'}hbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl`, 'eyJzdWIiOiIx'],
    [`-----BEGIN ${'PRIVATE'} KEY-----\nabcdef\n-----END ${'PRIVATE'} KEY-----`, 'abcdef'],
    [JSON.stringify('quote"and\\slash'), 'quote\\"and'],
    ['https://x.example/quote%22and%5Cslash', 'quote%22and'],
  ])('hides the secret of %s', (text, secret) => {
    expect(redact(text, ['my own literal', 'quote"and\\slash'])).not.toContain(secret);
  });

  it('leaves ordinary text alone', () => {
    expect(redact('Answered @alice in 1.2 s; the bearer of news')).toBe(
      'Answered @alice in 1.2 s; the bearer of news',
    );
    for (const text of [
      'see https://alice@example.com/x and http://127.0.0.1:8787/webhook',
      'got 1.2k tokens in 3 turns; the token is missing or not that of this run',
      'the secret here is not the sender, or a clock is wrong',
    ])
      expect(redact(text)).toBe(text);
  });
});

describe('process identity', () => {
  it('knows a live process by its start, and a dead one not at all', async () => {
    const child = execa('cat');
    const pid = child.pid ?? 0;
    const start = processStart(pid);
    expect(start).toBeDefined();
    expect(processStart(pid)).toBe(start);
    child.kill('SIGKILL');
    await child.catch(() => {});
    expect(processStart(pid)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('tells host, boot and pid namespace', () => {
    expect(Object.values(processHome()).every((part) => part !== '')).toBe(true);
  });
});
