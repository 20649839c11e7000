// The command line of Claude Code. Nothing secret stands in it: every user of the machine can read it.
import { WorkerError } from '../domain/errors.js';
import type { ClaudeAgentOptions } from './options.js';
import { presetArgs } from './presets.js';
import { takesBudget } from './version.js';

/** The conversation the process begins with: a new one under this id, or an old one. */
export type Opening =
  | { readonly kind: 'fresh'; readonly sessionId: string }
  | { readonly kind: 'resume'; readonly sessionId: string };

/** Arguments that would break the protocol or the session we keep. */
const OURS = [
  ...['-p', '--print', '--input-format', '--output-format', '--mcp-config', '--strict-mcp-config'],
  ...['-c', '--continue', '-r', '--resume', '--session-id', '--fork-session', '--no-session-persistence'],
  ...['-v', '--version', '-h', '--help', '--replay-user-messages'],
];

/** Throws WorkerError `setting-invalid` when `extraArgs` holds one of the arguments that are ours. */
export function claudeArgs(
  options: Pick<
    ClaudeAgentOptions,
    | 'preset'
    | 'maxBudgetUsd'
    | 'version'
    | 'model'
    | 'systemPrompt'
    | 'appendSystemPrompt'
    | 'extraArgs'
    | 'gateway'
    | 'otherServers'
  >,
  mcpConfigPath: string,
  opening: Opening,
): string[] {
  const { preset, model, maxBudgetUsd, systemPrompt, appendSystemPrompt, extraArgs = [] } = options;
  refuseOurs(extraArgs);
  const servers = [options.gateway.name, ...Object.keys(options.otherServers ?? {})];
  return [
    ...['--print', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    // Without these frames a long answer looks like silence until it is whole.
    '--include-partial-messages',
    ...['--mcp-config', mcpConfigPath, '--strict-mcp-config'],
    ...presetArgs(preset, servers),
    ...(preset === 'answer' && systemPrompt !== undefined ? ['--system-prompt', systemPrompt] : []),
    ...(appendSystemPrompt === undefined ? [] : ['--append-system-prompt', appendSystemPrompt]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(maxBudgetUsd === undefined || !takesBudget(options.version)
      ? []
      : ['--max-budget-usd', String(maxBudgetUsd)]),
    // Named by us, a fresh conversation can be found again even if we die before its first frame.
    ...(opening.kind === 'fresh' ? ['--session-id', opening.sessionId] : ['--resume', opening.sessionId]),
    ...extraArgs,
  ];
}

function refuseOurs(extraArgs: readonly string[]): void {
  const taken = extraArgs.find((argument) => OURS.includes(argument.split('=', 1)[0] ?? ''));
  if (taken === undefined) return;
  throw new WorkerError(
    'setting-invalid',
    `The extra argument ${taken} for Claude Code is set by the worker itself.`,
    {
      hint: 'Remove it from the extra arguments.',
    },
  );
}
