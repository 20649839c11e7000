// What a script is: a function from the model's request to the model's reply.
import type { Answer } from './answer.js';
import type { ErrorFault, StreamFault } from './faults.js';
import type { RecordedCall } from './recorder.js';
import type { MessagesRequest } from './request.js';

export type Reply = Answer | ErrorFault | StreamFault;

export interface ScriptContext {
  readonly call: RecordedCall;
  /** Aborted when the caller has gone away or the server closes. */
  readonly signal: AbortSignal;
}

/**
 * Called once for every call of kind `turn`. It may wait (the caller then waits in mid-turn). When it throws, the
 * caller gets a 400 with the message, which Claude Code shows in its result instead of trying again for minutes.
 */
export type Script = (request: MessagesRequest, context: ScriptContext) => Reply | Promise<Reply>;
