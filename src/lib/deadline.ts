// Races a promise against a time limit, without leaving a timer behind.

/** Thrown (as a rejection) when the limit passes first. */
export class DeadlineError extends Error {
  readonly limitMs: number;

  constructor(what: string, limitMs: number) {
    super(`${what} took longer than ${limitMs} ms`);
    this.name = 'DeadlineError';
    this.limitMs = limitMs;
  }
}

/**
 * Resolves or rejects as `promise` does, or rejects with `DeadlineError` after `limitMs` milliseconds.
 * The loser goes on unheard: the caller must end what it started.
 */
export async function withDeadline<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(what, limitMs)), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
