// The cursor of a described look: the newest value seen, for inboxes that are asked "since when".
import type { Fields } from '../fields.js';
import { instantOf } from '../instants.js';
import type { Path } from './custom-schema.js';
import { follow } from './placeholders.js';

export interface Cursor {
  /** As the server wrote it. */
  readonly value: unknown;
  readonly rank: number | undefined;
}

/** The newest of what is known and what these items say. Without an order among values, the last item counts. */
export function newerCursor(
  known: Cursor | undefined,
  items: readonly Fields[],
  path: Path | undefined,
): Cursor | undefined {
  let newest = known;
  for (const item of items) {
    const value = follow(item, path);
    if (value === undefined) continue;
    const rank = instantOf(value) ?? (typeof value === 'number' ? value : undefined);
    const isOlder = rank !== undefined && newest?.rank !== undefined && rank < newest.rank;
    if (!isOlder) newest = { value, rank };
  }
  return newest;
}
