// What one check of the doctor answers: how it stands, in one sentence, and what mends it.
import { EXIT, WorkerError } from '../domain/errors.js';

export type Finding =
  | { readonly state: 'ok'; readonly text: string }
  /** A worker would run, with something missing. */
  | { readonly state: 'warn'; readonly text: string; readonly fix: string }
  /** A worker would not run, or answer nobody. */
  | { readonly state: 'fail'; readonly text: string; readonly fix: string; readonly exitCode: number }
  /** It could not be looked at, because of something above it, or there is nothing to look at. */
  | { readonly state: 'skip'; readonly text: string };

export type Check = Finding & { readonly name: string };

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const skip = (text: string): Finding => ({ state: 'skip', text });
export const warn = (text: string, fix: string): Finding => ({ state: 'warn', text, fix });

export function fail(text: string, fix: string, exitCode: number = EXIT.internal): Finding {
  return { state: 'fail', text, fix, exitCode };
}

/** What was thrown, as a finding: our own errors bring sentence, fix and exit code along. */
export function failure(error: unknown): Finding {
  if (error instanceof WorkerError) return fail(error.message, error.hint, error.exitCode);
  const text = error instanceof Error ? error.message : String(error);
  return fail(text, 'This was not expected: run again, and report it if it stays.');
}
