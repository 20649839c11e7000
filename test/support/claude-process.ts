// The real Claude Code over stream-json, as bare as it goes: for tests of the scripted API, without `src/agent`.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lineFramer } from '../../src/lib/line-framer.js';

export const CLAUDE = fileURLToPath(new URL('../../node_modules/.bin/claude', import.meta.url));

export interface Frame {
  readonly type: string;
  readonly subtype?: string;
  readonly [field: string]: unknown;
}

export interface ResultFrame extends Frame {
  readonly result?: string;
  readonly is_error: boolean;
  readonly session_id: string;
  readonly total_cost_usd: number;
  readonly api_error_status?: number | null;
}

export interface ClaudeProcess {
  readonly child: ChildProcess;
  readonly frames: readonly Frame[];
  /** Sends a prompt; resolves with its result, rejects when the program ends before. */
  turn(prompt: string): Promise<ResultFrame>;
  /** Ends stdin; resolves when the program has ended. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

export function startClaude(
  environment: Record<string, string>,
  folder: string,
  args: readonly string[],
): ClaudeProcess {
  const wire = ['--print', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'];
  const child = spawn(CLAUDE, [...wire, ...args], { cwd: folder, env: environment });
  const ended = once(child, 'close');
  const frames: Frame[] = [];
  let onResult: ((frame: ResultFrame) => void) | undefined;
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  const framer = lineFramer({
    onLine: (line) => {
      const frame: Frame = JSON.parse(line);
      frames.push(frame);
      if (frame.type === 'result') onResult?.(frame as ResultFrame);
    },
  });
  child.stdout.on('data', (chunk) => framer.push(chunk));

  return {
    child,
    frames,
    turn: (prompt) => {
      const result = new Promise<ResultFrame>((resolve, reject) => {
        onResult = resolve;
        ended.then(([code]) => reject(new Error(`Claude Code ended (${code}) without a result. ${stderr}`)));
      });
      const message = { role: 'user', content: prompt };
      const line = { type: 'user', message, uuid: randomUUID(), parent_tool_use_id: null, session_id: '' };
      child.stdin.write(`${JSON.stringify(line)}\n`);
      return result;
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
