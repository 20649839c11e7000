// What a rehearsal takes from an agent that is written down: its ways, and nothing by which it could touch what is real.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findClaude } from '../agent/index.js';
import { inboxName, loadSettings, readSystemPrompt, type Settings } from '../config/index.js';
import { admits, canonicalName, sameName } from '../domain/addressing.js';
import { WorkerError } from '../domain/errors.js';
import { agentEnvironment } from './agent-parts.js';
import { copyWhatClaudeReads } from './rehearsal-copy.js';

/**
 * The settings that a rehearsal takes over. An allowlist, so that one that is made later, a database or a port say,
 * stays out until somebody has thought about it; a test names those that stay out.
 */
export const REHEARSED_SETTINGS = [
  ...([
    'model',
    'preset',
    'appendSystemPrompt',
    'claudeArgs',
    'delivery',
    'pullScope',
    'tickPrompt',
  ] as const),
  ...(['session', 'sessionTurns', 'sessionAgeMs', 'sessionContext'] as const),
  ...(['recycleTurns', 'recycleAgeMs', 'recycleMemory'] as const),
  ...(['memoryExchanges', 'memoryChars', 'maxInlineChars', 'ownAlias', 'channels', 'sendTo'] as const),
  ...(['allowSenders', 'denySenders', 'callTimeoutMs', 'notifications', 'webhook'] as const),
  ...(['resultTimeoutMs', 'toolTimeoutMs', 'mcpToolTimeoutMs', 'turnLimitMs'] as const),
  ...(['attempts', 'retryDelayMs', 'retryDelayMaxMs', 'maxIterations', 'onUnsure'] as const),
  ...(['deadNotice', 'deadNoticeText', 'waitNoticeAfterMs', 'waitNoticeText'] as const),
  ...([
    'budgetDay',
    'budgetHour',
    'budgetRun',
    'budgetConversation',
    'budgetSender',
    'budgetMessage',
  ] as const),
  ...(['loopTurns', 'loopWindowMs'] as const),
] satisfies readonly (keyof Settings)[];

export type LoadInput = Parameters<typeof loadSettings>[0];

export interface RehearsedAgent {
  /** The agent's own, as a start would read them. */
  readonly own: Settings;
  /** To be laid over the settings of a bare rehearsal. */
  readonly ways: Partial<Settings>;
  /** Under which Claude sees the inbox. */
  readonly inboxName: string | undefined;
  readonly agentAlias: string;
  /** Who writes to it: somebody it answers. */
  readonly caller: string;
  /** What Claude's environment gets besides. */
  readonly environment: Readonly<Record<string, string>>;
  /** What Claude is told by the folder, copied: `CLAUDE.md`, and what it imports. */
  readonly memory: readonly string[];
}

/**
 * Reads the agent of a folder and copies what Claude reads of it to `folder`. The agent's own folder is only read.
 * @throws WorkerError as a start would: for settings, `.mcp.json`, the prompt file, Claude Code
 */
export async function readAgent(input: LoadInput, folder: string): Promise<RehearsedAgent> {
  const own = await loadSettings(input);
  const { env } = input;
  const name = await inboxName(own);
  const { agentAlias, caller, everybody } = peopleOf(own);
  const real = await agentEnvironment(own, env);
  // The one that would run: it is looked for in the caller's HOME, which the rehearsal's Claude does not get.
  const claude = await findClaude({ setting: own.claudePath, environment: real, cwd: own.dir });
  const ways = Object.fromEntries(REHEARSED_SETTINGS.map((key) => [key, own[key]])) as Partial<Settings>;
  return {
    own,
    ways: {
      ...ways,
      claudePath: claude.path,
      systemPromptFile: (await readSystemPrompt(own)).path,
      wakeStream: own.wakeStream === 'off' ? 'off' : 'auto',
      ...(everybody ? { allowSenders: 'anyone', denySenders: [] } : {}),
    },
    inboxName: name,
    agentAlias,
    caller,
    environment: real.IS_SANDBOX === undefined ? {} : { IS_SANDBOX: real.IS_SANDBOX },
    memory: await copyWhatClaudeReads(own.dir, folder),
  };
}

/** Names that the embedded inbox takes. */
const ALIAS = /^@[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/;

export function peopleOf(own: Pick<Settings, 'ownAlias' | 'allowSenders' | 'denySenders'>): {
  agentAlias: string;
  caller: string;
  everybody: boolean;
} {
  const alias = canonicalName(own.ownAlias ?? '');
  const agentAlias = ALIAS.test(alias) ? alias : '@agent';
  const rule = { allow: own.allowSenders, deny: own.denySenders };
  if (rule.allow !== 'anyone' && rule.allow.length === 0) {
    throw new WorkerError(
      'setting-invalid',
      'allow_senders lets nobody in: there is nobody to rehearse with.',
      {
        hint: 'Name those whom the agent is to answer in allow_senders, or write "anyone".',
      },
    );
  }
  const known = rule.allow === 'anyone' ? [] : rule.allow.map(canonicalName);
  const caller = [...known, '@you', '@guest'].find(
    (name) => ALIAS.test(name) && admits(rule, name) && !sameName(name, agentAlias),
  );
  // Addresses of another kind of inbox cannot be played here.
  return { agentAlias, caller: caller ?? '@you', everybody: caller === undefined };
}

/** Whether an agent is written down in a folder: a rehearsal without `--dir` then means that one. */
export async function isWritten(dir: string): Promise<boolean> {
  for (const file of ['.mcp.json', join('config', 'worker.json')]) {
    const found = await stat(join(dir, file)).catch(() => undefined);
    if (found?.isFile()) return true;
  }
  return false;
}
