// Reads .mcp.json of the agent's folder and chooses which of its entries is the inbox.
import { join } from 'node:path';
import { WorkerError } from '../domain/errors.js';
import { keyOf } from './identity.js';
import { parseJson } from './json-text.js';
import type { Settings } from './load.js';
import { type McpEntry, type McpServer, resolveEntry, resolveServer } from './mcp-entry.js';
import { isObject, readDotenv, readOptional } from './sources.js';
import { lookupIn } from './variables.js';

export interface ResolvedInbox {
  /** The entry's name, and the gateway's name in Claude's own config. */
  readonly name: string;
  /** Why this one: `named` by a setting, called `agentdm`, or the `only` one. To be printed. */
  readonly chosen: 'named' | 'agentdm' | 'only';
  readonly server: McpServer;
  /** The key that tells one account from another; undefined where the entry carries none. */
  readonly key: string | undefined;
  /** Other entries that Claude may use too, as `allow_servers` says: resolved, by name. */
  readonly otherServers: Readonly<Record<string, McpEntry>>;
  /** Names of the entries that Claude is not given. */
  readonly leftOut: readonly string[];
  readonly warnings: readonly string[];
}

const FILE = '.mcp.json';

/**
 * The inbox of a folder, or undefined when `.mcp.json` is missing or names no server and no inbox was asked for.
 * @throws WorkerError `inbox-unset` (which of several?), `mcp-json-invalid` (with line and column where it is no
 * JSON), `variable-unset`, `file-unreadable`
 */
export async function resolveInbox(
  settings: Pick<Settings, 'dir' | 'inbox' | 'allowServers'>,
  env: NodeJS.ProcessEnv,
): Promise<ResolvedInbox | undefined> {
  const { servers, choice } = await entriesOf(settings);
  if (!choice) return undefined;
  const lookup = lookupIn(env, await readDotenv(settings.dir));
  const warnings: string[] = [];
  const context = (name: string) => ({
    name,
    fileName: FILE,
    lookup,
    warn: (sentence: string) => warnings.push(sentence),
  });

  const server = resolveServer(servers[choice.name], context(choice.name));
  const others = Object.keys(servers).filter((name) => name !== choice.name);
  checkAllowed(settings.allowServers, others, choice.name);
  const allowed = others.filter((name) => settings.allowServers.includes(name));
  return {
    ...choice,
    server,
    key: keyOf(server),
    otherServers: Object.fromEntries(
      allowed.map((name) => [name, resolveEntry(servers[name], context(name))]),
    ),
    leftOut: others.filter((name) => !allowed.includes(name)),
    warnings,
  };
}

/**
 * The name of the inbox alone: its variables need not be set yet.
 * @throws WorkerError `inbox-unset`, `mcp-json-invalid`, `file-unreadable`
 */
export async function inboxName(settings: Pick<Settings, 'dir' | 'inbox'>): Promise<string | undefined> {
  return (await entriesOf(settings)).choice?.name;
}

async function entriesOf({ dir, inbox }: Pick<Settings, 'dir' | 'inbox'>) {
  const servers = serversOf(await readOptional(join(dir, FILE)));
  return { servers, choice: choose(inbox, Object.keys(servers)) };
}

function serversOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const parsed = parseJson(text);
  if (parsed.kind === 'fault') {
    const { line, column, problem } = parsed.fault;
    throw new WorkerError(
      'mcp-json-invalid',
      `${FILE} is not valid JSON: line ${line}, column ${column}: ${problem}.`,
    );
  }
  const servers = isObject(parsed.value) ? (parsed.value.mcpServers ?? {}) : undefined;
  // A file that holds something, but not under the name that Claude Code reads, is a mistake and no empty one.
  const misnamed =
    isObject(parsed.value) && !('mcpServers' in parsed.value) && Object.keys(parsed.value).length > 0;
  if (!isObject(servers) || misnamed) {
    throw new WorkerError(
      'mcp-json-invalid',
      `${FILE} has no object "mcpServers"; write { "mcpServers": { "agentdm": { "type": "http", "url": … } } }.`,
    );
  }
  return servers;
}

function choose(
  wanted: string | undefined,
  names: readonly string[],
): Pick<ResolvedInbox, 'name' | 'chosen'> | undefined {
  if (wanted !== undefined) {
    if (names.includes(wanted)) return { name: wanted, chosen: 'named' };
    const found = names.length === 0 ? 'there is no entry at all' : `its entries are ${quoted(names)}`;
    throw new WorkerError(
      'inbox-unset',
      `The inbox setting names "${wanted}", which is no entry of ${FILE}: ${found}.`,
      { hint: `Correct the name, or add that entry to ${FILE}; compare .mcp.json.example.` },
    );
  }
  if (names.includes('agentdm')) return { name: 'agentdm', chosen: 'agentdm' };
  const [only] = names;
  if (only === undefined) return undefined;
  if (names.length === 1) return { name: only, chosen: 'only' };
  throw new WorkerError('inbox-unset', `Which entry of ${FILE} is the inbox? It has ${quoted(names)}.`, {
    hint: `Say it with --inbox NAME, INBOX=NAME, or "inbox" in config/worker.json.`,
  });
}

function checkAllowed(allowed: readonly string[], others: readonly string[], inbox: string): void {
  const strange = allowed.find((name) => !others.includes(name));
  if (strange === undefined) return;
  const why =
    strange === inbox
      ? 'is the inbox itself: Claude reaches it through the worker, never directly'
      : `is no other entry of ${FILE}`;
  throw new WorkerError('setting-invalid', `allow_servers names "${strange}", which ${why}; leave it out.`);
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
