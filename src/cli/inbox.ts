// `inbox`: serves the embedded inbox alone, for agents and people on this machine.
import { join } from 'node:path';
import type { Command } from 'commander';
import { localInboxFolder } from '../app/folders.js';
import { LOCAL_INBOX_PORT, loadSettings } from '../config/index.js';
import { removeRunning, runningFolder, writeRunning } from '../control/index.js';
import { canonicalName } from '../domain/addressing.js';
import { WorkerError } from '../domain/errors.js';
import { processStart } from '../lib/process-identity.js';
import { isLoopback, type LocalInbox, startLocalInbox } from '../local-inbox/index.js';
import type { CliContext } from './context.js';
import { entriesAsJson, entriesAsText, keyLine } from './inbox-entries.js';
import { channelOf, portOf, webhookOf } from './inbox-options.js';
import { addSettingOptions } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

const AGENT = '@agent';

interface InboxFlags {
  readonly host: string;
  readonly port: string;
  readonly alias?: string[];
  readonly channel?: string[];
  readonly webhook?: string[];
  readonly dms: boolean;
  readonly agentdm: boolean;
  readonly quiet?: boolean;
  readonly keys?: boolean;
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
  inbox-worker inbox --port 0 --json   for programs: one line of JSON, then nothing more
  inbox-worker inbox --keys >> .env  the keys of the aliases, for a worker elsewhere; serves nothing
  inbox-worker inbox --host 0.0.0.0 --quiet   in a container: its log then holds no keys`;

export function addInbox(program: Command, context: CliContext, finish: (code: number) => void): void {
  const collect = (value: string, previous: string[] = []): string[] => [...previous, value];
  const command = program
    .command('inbox')
    .description('serve the embedded inbox: an AgentDM-compatible MCP server on this machine')
    .option('--port <port>', 'where it listens; 0 for any free port', String(LOCAL_INBOX_PORT))
    .option(
      '--host <host>',
      'on which address; off loopback keys and messages travel unencrypted: only inside a private network',
      '127.0.0.1',
    )
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
    .option('--quiet', 'print the address alone, and no keys')
    .option(
      '--keys',
      "print the aliases' keys as lines for .env, and end; an inbox that runs is not disturbed",
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
  if (flags.keys) return printKeys(flags, stateDir, context);
  const inbox = await start(flags, stateDir);
  if (!isLoopback(flags.host)) {
    context.err(
      `The inbox listens on ${flags.host}: keys and messages travel unencrypted, so keep it inside a private network.`,
    );
  }
  const running = runningFolder(stateDir);
  // It has nothing to reload; but one that was started with nohup stays when its terminal closes.
  const stops = stopSignals(
    context.signals,
    () => {},
    () => {},
  );
  try {
    const aliases = aliasesOf(flags);
    asUsage(() => {
      for (const alias of [...aliases, ...channels.flatMap(({ members }) => members)])
        inbox.ensureAlias(alias);
      for (const { name, members } of channels) inbox.createChannel(name, members);
      for (const { alias, url, secret } of webhooks) inbox.setWebhook(alias, { url, secret });
    });
    const agentAlias = agentOf(aliases);
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
    if (flags.quiet) context.out(`The embedded inbox listens at ${inbox.url}`);
    else if (flags.json) context.out(await entriesAsJson(served));
    else for (const line of await entriesAsText(served)) context.out(line);
    await aborted(stops.first);
    return 0;
  } finally {
    await removeRunning(running, process.pid);
    await inbox.close();
    stops.finish();
  }
}

const aliasesOf = ({ alias = [AGENT, '@you'] }: InboxFlags): string[] => [
  ...new Set(alias.map(canonicalName)),
];

const agentOf = (aliases: readonly string[]): string =>
  aliases.includes(AGENT) ? AGENT : (aliases[0] ?? AGENT);

/** The agent's as a variable, the others as remarks: the lines can be added to the `.env` of the agent. */
async function printKeys(flags: InboxFlags, stateDir: string, context: CliContext): Promise<number> {
  // On a port of its own: the store may be in use by the inbox that serves it.
  const inbox = await start({ ...flags, host: '127.0.0.1', port: '0' }, stateDir);
  try {
    const aliases = aliasesOf(flags);
    const keys = Object.fromEntries(
      aliases.map((alias) => [alias, asUsage(() => inbox.ensureAlias(alias))] as const),
    );
    if (flags.json) context.out(JSON.stringify(keys));
    else {
      const agent = agentOf(aliases);
      context.out(keyLine(keys[agent] ?? ''));
      for (const alias of aliases) if (alias !== agent) context.out(`# ${alias}: ${keys[alias]}`);
    }
    return 0;
  } finally {
    await inbox.close();
  }
}

/** @throws WorkerError `usage`, `port-taken`, `store-unusable` */
async function start(flags: InboxFlags, stateDir: string): Promise<LocalInbox> {
  const { dms, agentdm, host } = flags;
  if (host.trim() === '')
    throw new WorkerError('usage', '--host is empty; write an address such as 127.0.0.1.');
  const port = portOf(flags.port);
  if (!dms && !agentdm) {
    throw new WorkerError('usage', 'With --no-dms and --no-agentdm no tools are left: leave one of them on.');
  }
  const databasePath = join(localInboxFolder(stateDir), 'inbox.db');
  return startLocalInbox({ databasePath, host, port, vocabularies: { dms, agentdm } }).catch(
    (error: Error) => {
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
    },
  );
}

/** The inbox refuses names in sentences of its own; here they came from the command line. */
function asUsage<T>(act: () => T): T {
  try {
    return act();
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
