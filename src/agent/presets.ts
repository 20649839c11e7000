// The presets: what the agent may do, as arguments for Claude Code.
import { WorkerError } from '../domain/errors.js';

export const PRESETS = ['answer', 'read', 'work', 'everything'] as const;
export type Preset = (typeof PRESETS)[number];

/** Keys of the inbox and of the login live here; a rule also hides them from Grep and Glob. */
const SECRETS = ['.env', '.env.*', '.mcp.json'];
/** Whoever may edit these may widen his own rights at the next start, or leave orders for everybody's next session. */
const RIGHTS = ['.claude/**', 'config/worker.json', 'config/prompts/**', 'CLAUDE.md', 'CLAUDE.local.md'];

const DENY = [
  ...SECRETS.flatMap((file) => [
    `Read(./${file})`,
    `Read(**/${file})`,
    `Edit(./${file})`,
    `Edit(**/${file})`,
  ]),
  ...RIGHTS.map((file) => `Edit(./${file})`),
  // Claude Code reads those of folders further down as well, once it works there.
  'Edit(**/CLAUDE.md)',
];

/**
 * `answer`: no built-in tool at all. `read`: reads the folder, but not its secrets. `work`: also edits it; no
 * commands, because a read-only command needs no rule and would read the secrets. `everything`: as it says.
 * @param servers names of the MCP servers whose tools are allowed
 */
export function presetArgs(preset: Preset, servers: readonly string[]): string[] {
  if (preset === 'everything') return ['--dangerously-skip-permissions'];
  const guard = (tools: string, mode: string, deny: readonly string[]): string[] => [
    // Only a list of tools is a guard: under `dontAsk` alone, with Bash offered, `cat .mcp.json` runs.
    ...['--tools', tools],
    ...['--permission-mode', mode],
    ...['--allowedTools', servers.map(serverRule).join(',')],
    // The user's own allow rules would widen `dontAsk`; his CLAUDE.md in the folder stays.
    ...['--setting-sources', 'project'],
    ...[
      '--settings',
      JSON.stringify({ disableAllHooks: true, ...(deny.length > 0 && { permissions: { deny } }) }),
    ],
  ];
  switch (preset) {
    case 'answer':
      return guard('', 'dontAsk', []);
    case 'read':
      return guard('Read,Grep,Glob', 'dontAsk', DENY);
    case 'work':
      return guard('Read,Grep,Glob,Edit,Write', 'acceptEdits', DENY);
  }
}

/** Claude Code writes a server's name this way in its tools' names. */
const serverRule = (name: string): string => `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`;

/** Claude Code itself exits 1 in this case; we say it before anything is started. */
export function rootRefusal(
  preset: Preset,
  uid: number | undefined,
  environment: Readonly<Record<string, string>>,
): WorkerError | undefined {
  if (preset !== 'everything' || uid !== 0 || environment.IS_SANDBOX === '1') return undefined;
  return new WorkerError(
    'claude-root',
    'Claude Code refuses preset `everything` for root outside a sandbox.',
  );
}
