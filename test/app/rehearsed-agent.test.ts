// What a rehearsal takes from a written agent: which settings, which files, and who is played.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { copyWhatClaudeReads } from '../../src/app/rehearsal-copy.js';
import { isWritten, peopleOf, REHEARSED_SETTINGS } from '../../src/app/rehearsed-agent.js';
import { SETTING_LIST } from '../../src/config/schema.js';

/**
 * Settings that a rehearsal leaves alone, since they lead to something real or pace the loop. A new setting belongs
 * here, or among REHEARSED_SETTINGS when it can touch nothing.
 */
const LEFT_OUT = [
  ...['dir', 'name', 'inbox', 'inboxId', 'profile', 'allowServers', 'passEnv'],
  ...['minSleepMs', 'sleepStepMs', 'maxSleepMs', 'unprovenMaxSleepMs', 'intervalMs'],
  ...['drainMs', 'standby', 'once', 'webhookHost', 'webhookPort', 'webhookSecret'],
  ...['onHold', 'onDead', 'tellSecret', 'onHoldReasons', 'onHoldAfterMs', 'tellIntervalMs'],
  ...['stateDir', 'databaseUrl', 'leaseStaleMs', 'leaseHeartbeatMs', 'logLevel', 'logFormat'],
  ...['logFile', 'logFileSize', 'logFileCount', 'logBodies', 'liveLine', 'controlPort', 'controlToken'],
];
/** Taken, but not as they are. */
const CHANGED = ['claudePath', 'systemPromptFile', 'wakeStream'];

it('every setting is either taken by a rehearsal or left out on purpose', () => {
  const judged = [...REHEARSED_SETTINGS, ...LEFT_OUT, ...CHANGED];
  expect(judged.toSorted()).toEqual(SETTING_LIST.map(([name]) => name).toSorted());
});

describe('of the folder', () => {
  let root: string;
  let from: string;
  let to: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'rehearsed-'));
    from = join(root, 'from');
    to = join(root, 'to');
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    await mkdir(to);
  });

  async function plant(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(from, name)), { recursive: true });
      await writeFile(join(from, name), text);
    }
  }

  it('what Claude reads is copied, with what that imports, and nothing that could lead out', async () => {
    await plant({
      'CLAUDE.md': 'See @docs/prices.md, and @.env and @../outside.md and @.mcp.json and @nowhere.md.',
      'docs/prices.md': 'All is free: @more.md',
      'docs/more.md': 'See @../CLAUDE.md again.',
      'docs/other.md': 'nobody imports it',
      '.claude/settings.json': '{"env":{"ANTHROPIC_BASE_URL":"https://real.example"}}',
      '.claude/rules/tone.md': 'Be kind.',
      '.env': 'KEY=1',
      '.mcp.json': '{}',
      '../outside.md': 'outside',
    });
    expect((await copyWhatClaudeReads(from, to)).toSorted()).toEqual(
      ['.claude/rules/tone.md', 'CLAUDE.md', 'docs/more.md', 'docs/prices.md'].map((name) => join(name)),
    );
    expect(await readFile(join(to, 'docs', 'prices.md'), 'utf8')).toContain('All is free');
    await expect(readFile(join(to, '.env'))).rejects.toThrow('ENOENT');
  });

  it('a CLAUDE.md that is a link is followed, and none at all is well', async () => {
    await plant({ 'AGENTS.md': 'You are kind.' });
    expect(await copyWhatClaudeReads(from, to)).toEqual([]);
    await symlink('AGENTS.md', join(from, 'CLAUDE.md'));
    expect(await copyWhatClaudeReads(from, to)).toEqual(['CLAUDE.md']);
    expect(await readFile(join(to, 'CLAUDE.md'), 'utf8')).toBe('You are kind.');
  });

  it('an agent is written where there is an .mcp.json or settings, not where there is only a CLAUDE.md', async () => {
    await plant({ 'CLAUDE.md': '' });
    expect(await isWritten(from)).toBe(false);
    await plant({ 'config/worker.json': '{}' });
    expect(await isWritten(from)).toBe(true);
  });
});

describe('somebody is played whom the agent answers', () => {
  const people = (allow: readonly string[] | 'anyone', more: { deny?: string[]; own?: string } = {}) =>
    peopleOf({ allowSenders: allow, denySenders: more.deny ?? [], ownAlias: more.own });

  it.each([
    ['anyone', {}, { agentAlias: '@agent', caller: '@you', everybody: false }],
    [['@alice', '@bob'], { deny: ['@alice'] }, { agentAlias: '@agent', caller: '@bob', everybody: false }],
    ['anyone', { own: '@you' }, { agentAlias: '@you', caller: '@guest', everybody: false }],
    [['a@b.example'], { own: 'Support Desk' }, { agentAlias: '@agent', caller: '@you', everybody: true }],
  ] as const)('of %j with %j: %j', (allow, more, found) => {
    expect(people(allow, more as { deny?: string[]; own?: string })).toEqual(found);
  });

  it('and where nobody is let in, that is said', () => {
    expect(() => people([])).toThrow('nobody to rehearse with');
  });
});
