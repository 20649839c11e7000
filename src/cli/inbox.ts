// `inbox`: serves the embedded inbox alone, for agents and people on this machine.
import { join } from 'node:path';
import type { Command } from 'commander';
import { localInboxFolder } from '../app/folders.js';
import { loadSettings } from '../config/index.js';
import { removeRunning, runningFolder, writeRunning } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { processStart } from '../lib/process-identity.js';
import { startLocalInbox } from '../local-inbox/index.js';
import type { CliContext } from './context.js';
import { addSettingOptions, type Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

const DEFAULT_PORT = 8790;

interface InboxFlags extends Flags {
  port: string;
}

export function addInbox(program: Command, context: CliContext, finish: (code: number) => void): void {
  const collect = (value: string, previous: string[]): string[] => [...previous, value];
  const command = program
    .command('inbox')
    .description('serve the embedded inbox: an AgentDM-compatible MCP server on this machine')
    .option('--port <port>', 'where it listens', String(DEFAULT_PORT))
    .option('--alias <name>', 'an alias to have (may be repeated; default @agent and @you)', collect, [])
    .option('--webhook <alias=url>', 'call this URL when the alias has mail (may be repeated)', collect, [])
    .option('--webhook-secret <secret>', 'sign those calls (Standard Webhooks, whsec_…)')
    .action(async (flags: InboxFlags & { alias: string[]; webhook: string[] }) =>
      finish(await serveInbox(flags, context)),
    );
  addSettingOptions(command, ['stateDir']);
}

async function serveInbox(
  flags: InboxFlags & { alias: string[]; webhook: string[] },
  context: CliContext,
): Promise<number> {
  const { stateDir } = await loadSettings({
    flags: { stateDir: flags.stateDir },
    env: context.env,
    cwd: context.cwd,
  });
  const port = portOf(flags.port);
  const webhooks = flags.webhook.map((text) => webhookOf(text, flags.webhookSecret));
  const inbox = await startLocalInbox({
    databasePath: join(localInboxFolder(stateDir), 'inbox.db'),
    port,
  }).catch((error: Error) => {
    throw new WorkerError('port-taken', `The embedded inbox could not start: ${error.message}`, {
      hint: `Choose another port with --port, or stop what uses ${port}.`,
    });
  });
  const running = runningFolder(stateDir);
  try {
    for (const alias of flags.alias.length > 0 ? flags.alias : ['@agent', '@you']) inbox.ensureAlias(alias);
    for (const { alias, url, secret } of webhooks) inbox.setWebhook(alias, { url, secret });
    await writeRunning(running, {
      kind: 'inbox',
      pid: process.pid,
      processStart: processStart(process.pid) ?? '',
      startedAt: Date.now(),
      folder: context.cwd,
      identity: 'local-inbox',
      inboxName: 'local-inbox',
      inbox: { url: inbox.url, keys: inbox.keys() },
      agentAlias: '@agent',
    });
    for (const line of entries(inbox.url, inbox.keys())) context.out(line);
    await new Promise<void>((resolve) => {
      const stops = stopSignals(context.signals, () => resolve());
      void stops;
    });
    return 0;
  } finally {
    await removeRunning(running, process.pid);
    await inbox.close();
  }
}

function entries(url: string, keys: Record<string, string>): string[] {
  const server = { type: 'http', url, headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' } };
  return [
    `The embedded inbox listens at ${url}`,
    '',
    'An agent of this machine has this in its .mcp.json:',
    JSON.stringify({ mcpServers: { agentdm: server } }, null, 2),
    '',
    'and one of these lines in its .env:',
    ...Object.entries(keys).map(([alias, key]) => `AGENTDM_API_KEY=${key}   # ${alias}`),
    '',
    'Ctrl-C ends it; messages and keys are kept.',
  ];
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new WorkerError('usage', `--port has the value "${text}"; write a number from 0 to 65535.`);
}

function webhookOf(text: string, secret: unknown): { alias: string; url: string; secret: string } {
  const [alias, url] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)];
  if (!text.includes('=') || !URL.canParse(url)) {
    throw new WorkerError('usage', `--webhook has the value "${text}"; write ALIAS=URL.`);
  }
  if (typeof secret !== 'string') {
    throw new WorkerError(
      'usage',
      '--webhook needs --webhook-secret: unsigned calls could be made by anybody.',
    );
  }
  return { alias, url, secret };
}
