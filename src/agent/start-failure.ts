// Why Claude Code did not start, told apart by what it printed and how it ended.
import { WorkerError } from '../domain/errors.js';
import { redact } from '../lib/redact.js';
import type { Exit } from './process.js';

export type StartFailure =
  /** The session to resume does not exist (any more). */
  | { readonly kind: 'unknown-session' }
  /** Somebody has to do something first. */
  | { readonly kind: 'unusable'; readonly error: WorkerError }
  /** It may work the next time. */
  | { readonly kind: 'not-ready'; readonly message: string };

export interface StartEvidence {
  readonly exit: Exit;
  /** The last lines of stderr. */
  readonly stderr: readonly string[];
  /** `errors` and text of a result that came before the end. */
  readonly said: readonly string[];
  readonly claudePath: string;
}

export function explainStart({ exit, stderr, said, claudePath }: StartEvidence): StartFailure {
  const text = [...stderr, ...said].join('\n');
  // 2.1.63 and 2.1.89 say this in a result only, older ones on stderr only.
  if (/No conversation found with session ID/i.test(text)) return { kind: 'unknown-session' };
  const error = unusable(text, claudePath, exit);
  if (error) return { kind: 'unusable', error };
  const last = redact(stderr.findLast((line) => line.trim() !== '')?.trim() ?? said.at(-1) ?? '').slice(
    0,
    300,
  );
  const how = exit.signal === undefined ? `exit code ${exit.code ?? '?'}` : `signal ${exit.signal}`;
  if (exit.spawnError !== undefined) {
    return {
      kind: 'not-ready',
      message: `Claude Code could not be started: ${redact(exit.spawnError).slice(0, 300)}`,
    };
  }
  return {
    kind: 'not-ready',
    message:
      last === ''
        ? // Some versions end like this on a configuration they do not understand.
          `Claude Code ended at its start without a word (${how}).`
        : `Claude Code ended at its start (${how}): ${last}`,
  };
}

function unusable(text: string, claudePath: string, exit: Exit): WorkerError | undefined {
  if (/cannot be used with root\/sudo privileges/i.test(text)) {
    return new WorkerError(
      'claude-root',
      'Claude Code refuses preset `everything` for root outside a sandbox.',
    );
  }
  const option = /unknown option '([^']+)'/i.exec(text)?.[1];
  if (option !== undefined) {
    return new WorkerError('claude-failed', `This Claude Code does not know the option ${option}.`, {
      hint: 'Update Claude Code, or remove the option from the extra arguments.',
    });
  }
  const value = /option '([^']+)' argument '([^']*)' is invalid/i.exec(text);
  if (value) {
    return new WorkerError('claude-failed', `Claude Code does not take ${value[2]} for ${value[1]}.`, {
      hint: 'Correct the setting, or update Claude Code.',
    });
  }
  const config = /(Invalid MCP configuration|Does not adhere to MCP server configuration schema)[^\n]*/i.exec(
    text,
  )?.[0];
  if (config !== undefined) {
    return new WorkerError(
      'claude-failed',
      `Claude Code refused the MCP servers it was given: ${redact(config).slice(0, 300)}`,
      {
        hint: 'Look at the entries of .mcp.json that are named in allow_servers.',
      },
    );
  }
  if (/not logged in|please run \/login/i.test(text)) {
    return new WorkerError('claude-unauthorised', 'Claude Code is not logged in.');
  }
  const gone = /ENOENT|No such file or directory/i.test(`${exit.spawnError ?? ''}\n${text}`);
  if (gone && (exit.spawnError !== undefined || exit.code === 127)) {
    return new WorkerError(
      'claude-not-found',
      `${claudePath} could not be run: it, or the program in its first line, is missing.`,
    );
  }
  if (/EACCES|Permission denied/i.test(exit.spawnError ?? '') || exit.code === 126) {
    return new WorkerError('claude-failed', `${claudePath} may not be executed.`, {
      hint: 'Correct its rights, or set CLAUDE_PATH to another one.',
    });
  }
  return undefined;
}
