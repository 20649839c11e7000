// One tool call, from the token's turn to the result; never rejects.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { WorkerError } from '../domain/errors.js';
import type { OpenTurn } from '../ports/turns.js';
import { refused } from './result.js';
import { TOOLS } from './tools.js';

const NO_TURN =
  'no conversation is open: there is nothing to read or answer now; messages come with the next turn';

export interface CallListeners {
  /** Monotonic enough for a duration, ms. */
  now(): number;
  /** After each call; `tool` is `unknown` for a name we do not have. */
  onCall?: ((tool: string, ms: number, ok: boolean) => void) | undefined;
  /** What went wrong inside; Claude only gets a sentence. */
  onError?: ((tool: string, error: unknown) => void) | undefined;
}

export async function callTool(
  turn: OpenTurn | 'closed',
  name: string,
  input: unknown,
  listeners: CallListeners,
): Promise<CallToolResult> {
  const startedAt = listeners.now();
  const tool = TOOLS.find(({ entry }) => entry.name === name);
  let result: CallToolResult;
  try {
    if (tool === undefined) result = refused(`there is no tool of that name; there are ${names()}`);
    else if (turn === 'closed') result = refused(NO_TURN);
    else result = await tool.call(turn, input);
  } catch (error) {
    listeners.onError?.(tool?.entry.name ?? 'unknown', error);
    // Our own errors are sentences made to be read; of any other, nothing is known to be fit for a model.
    result = refused(
      error instanceof WorkerError ? error.message : 'the inbox failed; the worker logged why',
    );
  }
  listeners.onCall?.(tool?.entry.name ?? 'unknown', listeners.now() - startedAt, result.isError !== true);
  return result;
}

const names = (): string => TOOLS.map(({ entry }) => entry.name).join(', ');
