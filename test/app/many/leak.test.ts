// Real agents in this very process, again and again: what they took is given back.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { openFleet } from '../../../src/app/many/fleet.js';
import { loadAgents } from '../../../src/app/many/load.js';
import { startLocalInbox } from '../../../src/local-inbox/index.js';
import { claudeEnvironment, startScriptedApi } from '../../../src/rehearsal/index.js';
import { folderWith } from '../../config/folder.js';

const CLAUDE = resolve(import.meta.dirname, '../../fixtures/fake-claude/well-behaved.mjs');
const NAMES = ['scout', 'clerk', 'poet'];

it('files, sockets and child processes of many agents are gone after their end', {
  timeout: 60_000,
}, async () => {
  const answered: string[] = [];
  const inbox = await startLocalInbox({
    databasePath: ':memory:',
    onPosted: ({ from }) => void (from !== '@you' && answered.push(from)),
  });
  const api = await startScriptedApi();
  const files: Record<string, unknown> = {};
  for (const name of NAMES) {
    const headers = { Authorization: `Bearer ${inbox.ensureAlias(`@${name}`)}` };
    const agentdm = { type: 'http', url: inbox.url, headers };
    files[`${name}/.mcp.json`] = { mcpServers: { agentdm } };
    files[`config/agents/${name}.json`] = { dir: `../../${name}`, once: true, claude_path: CLAUDE };
  }
  const cwd = await folderWith(files);
  inbox.ensureAlias('@you');

  const round = async (): Promise<void> => {
    for (const name of NAMES) inbox.post({ from: '@you', to: `@${name}`, text: 'hello' });
    const env = claudeEnvironment({ apiUrl: api.url, home: cwd });
    const plans = await loadAgents({ words: [], flags: {}, env, cwd });
    const log = new Writable({ write: (_chunk, _encoding, done) => done() });
    const fleet = await openFleet({ plans, env, version: '0.0.0', log });
    expect(await fleet.run()).toBe(0);
    await fleet.close();
  };
  await round();
  const before = await held();
  await round();
  await round();
  expect(answered.sort()).toEqual(NAMES.flatMap((name) => Array(3).fill(`@${name}`)).sort());
  // A closed handle is gone a moment after it has said so; one that leaks is never gone.
  await expect.poll(held, { timeout: 10_000 }).toBeLessThanOrEqual(before);
  expect(await readdir(join(cwd, '.local/state/inbox-worker/running'))).toEqual([]);
  await inbox.close();
  await api.close();
});

/** Of this process: open files and sockets, and children. */
async function held(): Promise<number> {
  const children = process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
  return (await readdir('/proc/self/fd')).length + children;
}
