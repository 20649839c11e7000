// The description of a foreign inbox as a file: presets by name, variables, and what is wrong in one sentence.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a description.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profile as kind } from '../../src/config/names.js';
import { presetNames } from '../../src/config/preset-names.js';
import { readProfileFile } from '../../src/config/profile-file.js';
import { WorkerError } from '../../src/domain/errors.js';
import { folderWith } from './folder.js';

async function readIn(content: unknown, files: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = {}) {
  const dir = await folderWith({ 'mine.json': content, ...files });
  return readProfileFile({ profile: join(dir, 'mine.json'), dir }, env);
}

async function fault(reading: Promise<unknown>): Promise<WorkerError> {
  const error: unknown = await reading.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkerError)) throw new Error(`expected a WorkerError, got ${String(error)}`);
  return error;
}

describe('a preset', () => {
  it('is a value of the setting by its bare name; a name that is none is told which there are', () => {
    expect(presetNames()).toEqual(['agentmail', 'mcp-agent-mail', 'queue']);
    const context = { base: '/agent', home: '/home/someone' };
    for (const name of presetNames()) expect(kind.read(name, context)).toEqual({ value: name });
    expect(kind.read('mcp_agent_mail', context)).toEqual({
      write: expect.stringContaining('agentdm, agentmail, mcp-agent-mail, queue, or the path'),
    });
  });

  it('is read from this package, its variables from the environment', async () => {
    const dir = await folderWith();
    const { value, where } = await readProfileFile({ profile: 'queue', dir }, { QUEUE_NAME: 'tasks' });
    expect(value).toMatchObject({ look: { tool: 'queue_pop', arguments: { queue: 'tasks' } } });
    expect(where).toBe('the preset queue');
  });
});

describe('variables', () => {
  it('come from the environment, then from .env, then from their default', async () => {
    const raw = { a: '${A}', list: ['x ${B}', '${C:-none}'] };
    const { value } = await readIn(raw, { '.env': 'A=file\nB=file\n' }, { A: 'env' });
    expect(value).toEqual({ a: 'env', list: ['x file', 'none'] });
  });

  it('with an empty default leave their argument out while they are unset', async () => {
    const raw = { arguments: { token: '${TOKEN:-}', text: 'x${TOKEN:-}', list: ['${TOKEN:-}'] } };
    expect((await readIn(raw)).value).toEqual({ arguments: { text: 'x', list: [''] } });
    expect((await readIn(raw, {}, { TOKEN: 't' })).value).toEqual({
      arguments: { token: 't', text: 'xt', list: ['t'] },
    });
  });

  it('that are unset are named, each once', async () => {
    const dir = await folderWith();
    const error = await fault(readProfileFile({ profile: 'mcp-agent-mail', dir }, {}));
    expect([error.code, error.exitCode]).toEqual(['variable-unset', 2]);
    expect(error.message).toBe(
      'The profile in the preset mcp-agent-mail uses ${AGENT_MAIL_PROJECT} and ${AGENT_MAIL_AGENT}, which are not set.',
    );
    expect(error.hint).toContain('Set AGENT_MAIL_PROJECT and AGENT_MAIL_AGENT');
  });
});

describe('a file', () => {
  it('that does not exist, or is no JSON, is one sentence', async () => {
    const missing = await fault(readProfileFile({ profile: '/nowhere/x.json', dir: '/' }, {}));
    expect([missing.code, missing.message]).toEqual([
      'file-unreadable',
      'The profile /nowhere/x.json does not exist.',
    ]);
    const broken = await fault(readIn('{\n  "name": "x",\n}'));
    expect(broken.code).toBe('setting-invalid');
    expect(broken.message).toMatch(/mine\.json is not valid JSON: line 3, column 1: the comma/);
  });
});
