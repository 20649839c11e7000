// `inbox`: serves the embedded inbox alone, for agents and people on this machine.
import { join } from 'node:path';
import type { Command } from 'commander';
import { localInboxFolder } from '../app/folders.js';
import { loadSettings } from '../config/index.js';
import { removeRunning, runningFolder, writeRunning } from '../control/index.js';
import { canonicalName } from '../domain/addressing.js';
import { WorkerError } from '../domain/errors.js';
import { processStart } from '../lib/process-identity.js';
import { type LocalInbox, startLocalInbox } from '../local-inbox/index.js';
import type { CliContext } from './context.js';
import { entriesAsJson, entriesAsText } from './inbox-entries.js';
import { channelOf, portOf, webhookOf } from './inbox-options.js';
import { addSettingOptions } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

const DEFAULT_PORT = 8790;
const AGENT = '@agent';

interface InboxFlags {
  readonly port: string;
  readonly alias?: string[];
  readonly channel?: string[];
  readonly webhook?: string[];
  readonly dms: boolean;
  readonly agentdm: boolean;
  readonly json?: boolean;
  readonly stateDir?: string;
}

const HELP = `
It speaks both vocabularies: dms (list_dms, read_dm, ack_dm, send_dm; ours, with unread counts and idempotency keys)
and agentdm (read_messages, send_message and five more, as AgentDM documents them). They share messages and read state.
It prints the entries for Claude Code, Cursor and Claude Desktop, keys included. Messages and keys are kept in the
state folder, so that a restart changes nothing for anybody.

Examples:
  inbox-worker inbox
  inbox-worker inbox --alias agent --alias alice --alias bob --channel '#team=@agent,@alice,@bob'
  inbox-worker inbox --no-dms        as AgentDM's documentation has it: reading moves a cursor
  inbox-worker inbox --port 0 --json   for programs: one line of JSON, then nothing more`;

export function addInbox(program: Command, context: CliContext, finish: (code: number) => void): void {
  const collect = (value: string, previous: string[] = []): string[] => [...previous, value];
  const command = program
    .command('inbox')
    .description('serve the embedded inbox: an AgentDM-compatible MCP server on this machine')
    .option('--port <port>', 'where it listens, on 127.0.0.1; 0 for any free port', String(DEFAULT_PORT))
    .option('--alias <name>', 'an alias to have (may be repeated; default @agent and @you)', collect)
    .option(
      '--channel <#name=@a,@b>',
      'a channel and its members, made where missing (may be repeated)',
      collect,
    )
    .option('--no-dms', 'without the tools of the dms vocabulary')
    .option('--no-agentdm', 'without the tools of the agentdm vocabulary')
    .option(
      '--webhook <alias=url>',
      'call this URL when the alias has mail, signed with WEBHOOK_SECRET (may be repeated)',
      collect,
    )
    .option('--json', 'print address, keys and entries as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (flags: InboxFlags) => finish(await serveInbox(flags, context)));
  addSettingOptions(command, ['stateDir']);
}

async function serveInbox(flags: InboxFlags, context: CliContext): Promise<number> {
  const { stateDir } = await loadSettings({
    flags: { stateDir: flags.stateDir },
    env: context.env,
    cwd: context.cwd,
  });
  const channels = (flags.channel ?? []).map(channelOf);
  const webhooks = (flags.webhook ?? []).map((text) => webhookOf(text, context.env.WEBHOOK_SECRET));
  const inbox = await start(flags, stateDir);
  const running = runningFolder(stateDir);
  const stops = stopSignals(context.signals, () => {});
  try {
    const aliases = [...new Set((flags.alias ?? [AGENT, '@you']).map(canonicalName))];
    asUsage(() => {
      for (const alias of [...aliases, ...channels.flatMap(({ members }) => members)])
        inbox.ensureAlias(alias);
      for (const { name, members } of channels) inbox.createChannel(name, members);
      for (const { alias, url, secret } of webhooks) inbox.setWebhook(alias, { url, secret });
    });
    const agentAlias = aliases.includes(AGENT) ? AGENT : (aliases[0] ?? AGENT);
    await writeRunning(running, {
      kind: 'inbox',
      pid: process.pid,
      processStart: processStart(process.pid) ?? '',
      startedAt: Date.now(),
      folder: context.cwd,
      identity: 'local-inbox',
      inboxName: 'local-inbox',
      inbox: { url: inbox.url, keys: inbox.keys() },
      agentAlias,
    });
    const served = {
      url: inbox.url,
      wakeStreamUrl: inbox.wakeStreamUrl,
      keys: inbox.keys(),
      vocabularies: (['dms', 'agentdm'] as const).filter((name) => flags[name]),
      channels: channels.map(({ name }) => (name.startsWith('#') ? name : `#${name}`)),
      agentAlias,
      others: aliases.filter((alias) => alias !== agentAlias),
      stateDir,
    };
    if (flags.json) context.out(await entriesAsJson(served));
    else for (const line of await entriesAsText(served)) context.out(line);
    await aborted(stops.first);
    return 0;
  } finally {
    await removeRunning(running, process.pid);
    await inbox.close();
    stops.finish();
  }
}

/** @throws WorkerError `usage`, `port-taken`, `store-unusable` */
async function start(flags: InboxFlags, stateDir: string): Promise<LocalInbox> {
  const { dms, agentdm } = flags;
  const port = portOf(flags.port);
  if (!dms && !agentdm) {
    throw new WorkerError('usage', 'With --no-dms and --no-agentdm no tools are left: leave one of them on.');
  }
  const databasePath = join(localInboxFolder(stateDir), 'inbox.db');
  return startLocalInbox({ databasePath, port, vocabularies: { dms, agentdm } }).catch((error: Error) => {
    const { cause } = error;
    const isPort = cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
    if (!isPort) {
      throw new WorkerError('store-unusable', `The embedded inbox could not start: ${error.message}`, {
        cause: error,
      });
    }
    throw new WorkerError('port-taken', `The embedded inbox could not start: ${error.message}`, {
      hint: `Choose another port with --port, or end what uses ${port}; a second embedded inbox ends with: inbox-worker stop --inbox local-inbox`,
    });
  });
}

/** The inbox refuses names in sentences of its own; here they came from the command line. */
function asUsage(act: () => void): void {
  try {
    act();
  } catch (error) {
    throw new WorkerError('usage', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
