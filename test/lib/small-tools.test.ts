import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/lib/atomic-file.js';
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
  ])('hides the secret of %s', (text, secret) => {
    expect(redact(text, ['my own literal'])).not.toContain(secret);
  });

  it('leaves ordinary text alone', () => {
    expect(redact('Answered @alice in 1.2 s; the bearer of news')).toBe(
      'Answered @alice in 1.2 s; the bearer of news',
    );
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
