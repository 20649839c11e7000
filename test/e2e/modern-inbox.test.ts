// An inbox that speaks only MCP 2026-07-28, answered by a real worker with the real Claude Code.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Feed, type Lab, openLab } from '../support/agent-lab.js';
import {
  type ModernInbox,
  type ModernOptions,
  type SentMail,
  startModernInbox,
} from '../support/modern-inbox.js';

const KEY = 'modern_0123456789abcdef';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Scene {
  readonly it: Lab;
  readonly inbox: ModernInbox;
  readonly sent: Feed<SentMail>;
}

async function scene(options: ModernOptions = {}, settings: Record<string, unknown> = {}): Promise<Scene> {
  const sent = new Feed<SentMail>();
  const inbox = await startModernInbox({ key: KEY, onSent: (mail) => sent.add(mail), ...options });
  ends.push(() => inbox.close());
  const it = await openLab({ settings });
  ends.push(() => it.close());
  const entry = { type: 'http', url: inbox.url, headers: { Authorization: 'Bearer ${MODERN_KEY}' } };
  await writeFile(join(it.folder, '.mcp.json'), JSON.stringify({ mcpServers: { inbox: entry } }));
  await writeFile(join(it.folder, '.env'), `MODERN_KEY=${KEY}\n`);
  return { it, inbox, sent };
}

describe.each(['dms', 'agentdm'] as const)('with the vocabulary %s', (vocabulary) => {
  it('a message is answered once, by one model call', async () => {
    const { it, inbox, sent } = await scene({ vocabularies: [vocabulary] });
    inbox.arrive('@alice', 'is anybody there?');
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(sent.items).toMatchObject([
      { to: '@alice', message: expect.stringContaining('is anybody there?') as unknown },
    ]);
    expect(it.turnCalls).toHaveLength(1);
    expect(inbox.log.slice(0, 2)).toEqual(['server/discover', 'tools/list']);
    expect(inbox.log).not.toContain('initialize');
    // Nothing is left to answer.
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(sent.items).toHaveLength(1);
  });
});

it('what it announces wakes, where notifications are on', async () => {
  const settings = { notifications: true, min_sleep: '1h', max_sleep: '1h' };
  const listening = new Feed<true>();
  const options: ModernOptions = {
    announces: true,
    vocabularies: ['dms'],
    onListening: () => listening.add(true),
  };
  const { it, inbox, sent } = await scene(options, settings);
  const worker = it.run();
  await worker.says(/looked/);
  await listening.first(() => true, 'the subscription');
  inbox.arrive('@alice', 'wake up');
  inbox.notify.resourceUpdated('inbox://agent');
  await sent.first(() => true, 'the answer');
  await worker.says(/looked, woken by a notification: 1 new message/);
  worker.signal('SIGTERM');
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  expect(it.turnCalls).toHaveLength(1);
});

it('doctor says what is spoken there', async () => {
  const { it } = await scene({ vocabularies: ['dms'] });
  const { stdout } = await it.command('doctor');
  expect(stdout).toMatch(/^ok {4}inbox {9}The inbox answered a call in .*, over MCP 2026-07-28\.$/m);
});

it('doctor says so, too, where the tools are not those of an inbox', async () => {
  const { it } = await scene({ vocabularies: [] });
  const { stdout, exitCode } = await it.command('doctor');
  expect(stdout).toMatch(/^fail {2}inbox .*offers no tools.*\(Spoken there: MCP 2026-07-28\.\)$/m);
  expect(exitCode).toBe(5);
});

it('a key that it refuses is said as such', async () => {
  const { it, inbox } = await scene();
  await writeFile(join(it.folder, '.env'), 'MODERN_KEY=another_0123456789abc\n');
  const worker = it.run(['--once']);
  expect(await worker.ended()).toMatchObject({ exitCode: 5 });
  expect(worker.lines.filter((line) => line.startsWith('error:'))).toEqual([expect.stringMatching(/key/)]);
  expect(inbox.log).toEqual([]);
});
