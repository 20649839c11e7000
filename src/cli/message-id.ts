// The id of a message from its beginning, where that is enough to tell it from all others.
import type { Operations } from '../control/index.js';
import { WorkerError } from '../domain/errors.js';
import { oneLine } from '../lib/one-line.js';

/** Shorter, and a slip of the hand would name somebody else's message. */
const MIN_CHARS = 4;

/**
 * The one id that is `given`, or begins with it. `given` itself where there is none: whoever is asked for it says so.
 * Rejects with WorkerError `ambiguous`, naming the candidates, when several begin with it and none is it.
 */
export async function wholeId(
  operations: Pick<Operations, 'show' | 'idsLike'>,
  given: string,
): Promise<string> {
  if ([...given].length < MIN_CHARS || (await operations.show(given))) return given;
  const ids = await operations.idsLike(given);
  const [only, ...others] = ids;
  if (only === undefined) return given;
  if (others.length === 0) return only;
  const names = ids.map((id) => oneLine(id, 100)).join(', ');
  throw new WorkerError('ambiguous', `Several messages begin with ${oneLine(given, 100)}: ${names}.`, {
    hint: 'Write more of the id.',
  });
}
