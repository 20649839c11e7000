// `bridge`: a stdio MCP server in front of an inbox, for clients that take no other kind.
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type FindTarget, runBridge, type Target } from '../bridge/index.js';
import { resolveInbox } from '../config/index.js';
import { sameName } from '../domain/addressing.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { findRunning } from './running.js';
import { addSettingOptions, type Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

const HELP = `
Which inbox:
  the embedded one that runs here, as --as @you (default); or
  --url URL, with the key in the variable that --key-env names; or
  --entry NAME of .mcp.json in --dir, whose variables come from the environment and .env.
It may come and go: the bridge connects anew, and says in its errors what is wrong. It ends when its input ends.

Claude Desktop (claude_desktop_config.json); inbox-worker inbox prints this with everything filled in:
  { "mcpServers": { "agentdm": { "command": "inbox-worker", "args": ["bridge", "--as", "@you"] } } }
  { "mcpServers": { "agentdm": { "command": "inbox-worker",
      "args": ["bridge", "--url", "https://api.agentdm.ai/mcp/v1/grid", "--key-env", "AGENTDM_API_KEY"],
      "env": { "AGENTDM_API_KEY": "agentdm_…" } } } }`;

export function addBridge(program: Command, context: CliContext): void {
  const command = program
    .command('bridge')
    .description('a stdio MCP server that leads to an inbox, for clients such as Claude Desktop')
    .addOption(new Option('--as <alias>', 'whose mail, in the embedded inbox').default('@you'))
    .addOption(new Option('--url <url>', 'an inbox that speaks Streamable HTTP').conflicts('entry'))
    .option('--key-env <name>', 'the environment variable that holds its key (never the key itself)')
    .option('--entry <name>', 'an entry of .mcp.json')
    .option('--inbox <name>', 'which embedded inbox, where several run')
    .option('--dir <path>', 'the folder of .mcp.json (default: the current one)')
    .addHelpText('after', HELP)
    .action((flags: Flags) => bridge(flags, context));
  addSettingOptions(command, ['stateDir']);
}

async function bridge(flags: Flags, context: CliContext): Promise<void> {
  const find = await finder(flags, context);
  const stops = stopSignals(context.signals, () => {});
  try {
    await runBridge({
      find,
      version: context.version,
      input: process.stdin,
      output: process.stdout,
      log: (line) => context.err(`bridge: ${line}`),
      stop: stops.first,
    });
  } finally {
    stops.finish();
  }
}

/** What cannot change while the bridge runs is looked up here, and a fault in it ends the start. */
async function finder(flags: Flags, context: CliContext): Promise<FindTarget> {
  const { url, keyEnv, entry } = flags;
  if (keyEnv !== undefined && url === undefined) {
    throw new WorkerError('usage', '--key-env belongs to --url, and there is none.');
  }
  if (typeof url === 'string') return always(byUrl(url, keyEnv, context.env));
  if (typeof entry === 'string') return always(await byEntry(entry, flags, context));
  return () => embedded(flags, context);
}

const always = (target: Target): FindTarget => {
  return async () => target;
};

/** Neither the address nor the key is repeated in a sentence: either may have been mistaken for the other. */
function byUrl(text: string, keyEnv: unknown, env: NodeJS.ProcessEnv): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new WorkerError('usage', 'The value of --url is no http(s) address.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new WorkerError('usage', 'The value of --url holds a user or password, which others could see.', {
      hint: 'Put the key into an environment variable and name that with --key-env.',
    });
  }
  if (keyEnv === undefined) return { url: url.href, headers: {} };
  if (typeof keyEnv !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyEnv) || /^agentdm_/.test(keyEnv)) {
    throw new WorkerError('usage', '--key-env takes the name of an environment variable, not a key.', {
      hint: 'Write --key-env AGENTDM_API_KEY and put the key into that variable.',
    });
  }
  const key = env[keyEnv]?.trim();
  if (!key) {
    throw new WorkerError('variable-unset', `The environment variable ${keyEnv} is not set.`, {
      hint: `Set ${keyEnv} where the bridge is started; in Claude Desktop, under "env" of the entry.`,
    });
  }
  return { url: url.href, headers: { Authorization: `Bearer ${key}` } };
}

async function byEntry(name: string, flags: Flags, context: CliContext): Promise<Target> {
  // Not by loadSettings: a fault in a settings file is no reason not to reach the inbox.
  const dir = resolve(context.cwd, typeof flags.dir === 'string' ? flags.dir : '.');
  const found = await resolveInbox({ dir, inbox: name, allowServers: [] }, context.env);
  for (const warning of found?.warnings ?? []) context.err(`bridge: ${warning}`);
  if (found?.server.type === 'http') return { url: found.server.url, headers: found.server.headers };
  throw new WorkerError('usage', `The entry "${name}" of .mcp.json is a stdio server already.`, {
    hint: 'Give its command and args to the client itself; it needs no bridge.',
  });
}

/** Asked at each new connection: the inbox may have been started again, or only now. */
async function embedded(flags: Flags, context: CliContext): Promise<Target> {
  const entry = await findRunning(flags, 'inbox', context)
    .catch(unlessNone(() => findRunning(flags, ['inbox', 'rehearsal'], context)))
    .catch(
      unlessNone(({ code, message }) => {
        throw new WorkerError(code, message, { hint: `Start one with: ${context.self} inbox` });
      }),
    );
  const as = String(flags.as);
  const keys = entry.inbox?.keys ?? {};
  const key = Object.entries(keys).find(([alias]) => sameName(alias, as))?.[1];
  if (!entry.inbox || key === undefined) {
    throw new WorkerError(
      'usage',
      `There is no alias ${as} in that inbox; it has ${Object.keys(keys).join(', ')}.`,
      { hint: 'Name one of them with --as.' },
    );
  }
  return { url: entry.inbox.url, headers: { Authorization: `Bearer ${key}` } };
}

/** Goes another way where nothing that fits is running; any other error stays. */
function unlessNone<T>(other: (error: WorkerError) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof WorkerError && error.code === 'not-running') return other(error);
    throw error;
  };
}
