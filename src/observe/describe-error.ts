// Says of an error what belongs in a log: name, message, code, hint, stack, causes.

export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly hint?: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

/**
 * Only these fields: foreign errors carry requests, headers and bodies along, which nobody wants in a log.
 * What is no error is returned as it is.
 */
export function describeError(error: unknown, depth = 0): DescribedError | unknown {
  if (!(error instanceof Error)) return error;
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    // A cause that is no error could be anything, a whole response for instance.
    ...(error.cause instanceof Error && depth < 4 ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}
