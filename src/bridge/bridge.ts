// Runs the bridge on two streams: from the first line to the last answer.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { withDeadline } from '../lib/deadline.js';
import { Desk, type DeskOptions } from './desk.js';

export interface BridgeOptions extends DeskOptions {
  readonly input: Readable;
  /** Gets protocol and nothing else. */
  readonly output: Writable;
  /** Ends the bridge at once. */
  readonly stop?: AbortSignal;
}

/** How long the client's greeting waits for the inbox, whose instructions belong into the answer. */
const GREETING_MS = 3_000;

/** Serves until the input ends or `stop` aborts. When it resolves, the session with the inbox has ended, too. */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { input, output, log, stop } = options;
  const desk = new Desk(options);
  const ended = endOf(input, output, stop);
  try {
    const greeted = withDeadline(desk.greet(), GREETING_MS, 'connecting to the inbox');
    await Promise.race([greeted.catch((error: Error) => log(error.message)), ended]);
    const server = desk.serve();
    const transport = new StdioServerTransport(input, output);
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    await server.connect(transport);
    await Promise.race([ended, closed]);
    if (!stop?.aborted) await desk.settle(stop);
    await server.close();
  } finally {
    await desk.close();
  }
}

/** The end of the input; an output that nobody reads any more; or the order to stop. */
async function endOf(input: Readable, output: Writable, stop: AbortSignal | undefined): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  if (stop?.aborted || input.readableEnded || input.destroyed) return;
  await Promise.race([
    once(input, 'end', { signal }),
    once(input, 'close', { signal }),
    once(output, 'error', { signal }),
    once(output, 'close', { signal }),
    ...(stop ? [once(stop, 'abort', { signal })] : []),
  ]).catch(() => {});
  done.abort();
}
