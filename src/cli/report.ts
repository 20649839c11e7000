// Says what went wrong: what happened, and what to try.
import { EXIT, WorkerError } from '../domain/errors.js';
import { redact } from '../lib/redact.js';
import type { CliContext } from './context.js';
import { inOwnName } from './own-name.js';

/** Prints `error:` and `try:` and answers the exit code. */
export function reportError(error: unknown, context: Pick<CliContext, 'err' | 'self'>): number {
  if (error instanceof WorkerError) {
    context.err(inOwnName(`error: ${redact(error.message)}`, context.self));
    context.err(inOwnName(`try: ${redact(error.hint)}`, context.self));
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.err(`error: ${redact(text)}`);
  context.err('try: This is a fault of ours; please report it with the lines above.');
  return EXIT.internal;
}
