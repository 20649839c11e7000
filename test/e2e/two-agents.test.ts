// The seed documents' two agents, as docs/seed.md has them: a Claude Code worker on a bearer key, and a desktop client
// that takes stdio servers only. Every entry is the one that `inbox-worker inbox` prints.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect, it } from 'vitest';
import { openLab, WorkerProcess } from '../support/agent-lab.js';

interface Printed {
  readonly aliases: Record<
    string,
    {
      readonly claudeCode: object;
      readonly env: Record<string, string>;
      readonly claudeDesktop: {
        readonly mcpServers: Record<string, { readonly command: string; readonly args: string[] }>;
      };
    }
  >;
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it.each(['answer', 'seed'] as const)('talk with each other, the worker in the way of %s', async (way) => {
  const lab = await openLab();
  ends.push(() => lab.close());
  const inbox = new WorkerProcess(['inbox', '--port', '0', '--json'], lab.folder, lab.env());
  ends.push(() => inbox.kill());
  const line = await inbox.log.first((entry) => 'aliases' in entry, 'the entries of the inbox');
  const { aliases } = line as unknown as Printed;

  const agent = aliases['@agent'];
  await writeFile(join(lab.folder, '.mcp.json'), JSON.stringify(agent?.claudeCode));
  const keys = Object.entries(agent?.env ?? {}).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(lab.folder, '.env'), keys.join(''));
  const quick = { MIN_SLEEP: '200ms', SLEEP_STEP: '0s', WEBHOOK_PORT: '0' };
  const claude = { CLAUDE_PATH: resolve(import.meta.dirname, '../../node_modules/.bin/claude') };
  const flags = way === 'seed' ? ['--config', 'seed', '--log-format', 'json', '--log-level', 'debug'] : [];
  const worker = lab.run(flags, { ...quick, ...claude, IS_SANDBOX: '1' });

  const entry = aliases['@you']?.claudeDesktop.mcpServers.agentdm;
  if (!entry) throw new Error('no entry for Claude Desktop');
  const desktop = new Client({ name: 'desktop', version: '1' });
  // As a desktop program starts it: with hardly an environment.
  await desktop.connect(new StdioClientTransport({ ...entry, env: { HOME: lab.home }, stderr: 'ignore' }));
  ends.push(() => desktop.close());
  const call = async (name: string, input: Record<string, string>): Promise<string> =>
    JSON.stringify(await desktop.callTool({ name, arguments: input }));

  await call('send_dm', { to: '@agent', message: 'the first question' });
  await worker.log.first((entry) => entry.event === 'sent', 'the first answer');
  expect(await call('read_dm', { with: '@agent' })).toContain('the first question');
  const said = worker.log.items.length;
  await call('send_dm', { to: '@agent', message: 'the second question' });
  await worker.log.first((entry) => entry.event === 'sent', 'the second answer', said);
  expect(await call('read_dm', { with: '@agent' })).toContain('the second question');

  worker.signal('SIGTERM');
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  expect(worker.log.items.filter(({ event }) => event === 'sent')).toHaveLength(2);
  inbox.signal('SIGTERM');
  expect(await inbox.ended()).toMatchObject({ exitCode: 0 });
});
