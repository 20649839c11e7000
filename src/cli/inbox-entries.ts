// What other programs need to reach the embedded inbox: an entry each, ready to be copied.
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadSettings } from '../config/index.js';

/** The inbox as it listens. */
export interface Served {
  readonly url: string;
  readonly wakeStreamUrl: string;
  /** By alias: `@you` → key. */
  readonly keys: Readonly<Record<string, string>>;
  readonly vocabularies: readonly string[];
  readonly channels: readonly string[];
  readonly agentAlias: string;
  /** Aliases of this run, besides the agent's: people and other programs. */
  readonly others: readonly string[];
  readonly stateDir: string;
}

/** A file of MCP servers. */
export interface McpFile {
  readonly mcpServers: Readonly<Record<string, object>>;
}

const NAME = 'agentdm';
const VARIABLE = 'AGENTDM_API_KEY';
const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** `.mcp.json` of Claude Code and of the worker: the key stays in a variable, for such files are often shared. */
export function claudeCodeFile(url: string): McpFile {
  const headers = { Authorization: `Bearer \${${VARIABLE}}` };
  return { mcpServers: { [NAME]: { type: 'http', url, headers } } };
}

export const keyLine = (key: string): string => `${VARIABLE}=${key}`;

/** `.cursor/mcp.json`. */
export function cursorFile(url: string, key: string): McpFile {
  return { mcpServers: { [NAME]: { url, headers: { Authorization: `Bearer ${key}` } } } };
}

/**
 * `claude_desktop_config.json`: it takes stdio servers only, and starts them with hardly an environment, so nothing
 * may depend on PATH or on where the state is by default here.
 */
export async function claudeDesktopFile(alias: string, stateDir: string): Promise<McpFile> {
  const usual = await loadSettings({ flags: {}, env: { HOME: homedir() }, cwd: homedir() }).then(
    (settings) => settings.stateDir,
    () => undefined,
  );
  const state = stateDir === usual ? [] : ['--state-dir', stateDir];
  const args = [MAIN, 'bridge', '--inbox', 'local-inbox', '--as', alias, ...state];
  return { mcpServers: { [NAME]: { command: process.execPath, args } } };
}

/** For people. */
export async function entriesAsText(served: Served): Promise<string[]> {
  const { url, keys, agentAlias, others } = served;
  const lines = [
    `The embedded inbox listens at ${url}`,
    `Its tools: ${served.vocabularies.join(' and ')}.${served.channels.length > 0 ? ` Its channels: ${served.channels.join(', ')}.` : ''}`,
    '',
    'Claude Code, or this worker: .mcp.json of the folder',
    json(claudeCodeFile(url)),
    '',
    `and one of these in the worker's .env beside it (Claude Code by itself takes it from its environment):`,
    ...Object.entries(keys).map(
      ([alias, key]) => `${keyLine(key)}   # ${alias}${alias === agentAlias ? ', the agent' : ''}`,
    ),
  ];
  for (const alias of others) {
    lines.push(
      '',
      `Cursor, as ${alias}: .cursor/mcp.json`,
      json(cursorFile(url, keys[alias] ?? '')),
      '',
      `Claude Desktop, as ${alias}: claude_desktop_config.json`,
      json(await claudeDesktopFile(alias, served.stateDir)),
    );
  }
  return [...lines, '', 'Ctrl-C ends it; messages and keys are kept.'];
}

/** For programs: one line of JSON, every alias with all its entries. */
export async function entriesAsJson(served: Served): Promise<string> {
  const { url, wakeStreamUrl, keys, vocabularies, channels, agentAlias, stateDir } = served;
  const aliases: Record<string, object> = {};
  for (const [alias, key] of Object.entries(keys)) {
    aliases[alias] = {
      key,
      claudeCode: claudeCodeFile(url),
      env: { [VARIABLE]: key },
      cursor: cursorFile(url, key),
      claudeDesktop: await claudeDesktopFile(alias, stateDir),
    };
  }
  return JSON.stringify({
    url,
    wakeStreamUrl,
    pid: process.pid,
    vocabularies,
    channels,
    agentAlias,
    aliases,
  });
}

const json = (value: object): string => JSON.stringify(value, null, 2);
