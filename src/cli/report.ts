// Says what went wrong: what happened, and what to try.
import { EXIT, WorkerError } from '../domain/errors.js';
import { redact } from '../lib/redact.js';
import type { CliContext } from './context.js';

/** Prints `error:` and `try:` and answers the exit code. */
export function reportError(error: unknown, context: Pick<CliContext, 'err'>): number {
  if (error instanceof WorkerError) {
    context.err(`error: ${redact(error.message)}`);
    context.err(`try: ${redact(error.hint)}`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.err(`error: ${redact(text)}`);
  context.err('try: This is a fault of ours; please report it with the lines above.');
  return EXIT.internal;
}
