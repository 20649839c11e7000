// What the store must know of the database under it, whichever it is.
import type { Kysely } from 'kysely';
import type { Db, Tables } from './tables.js';

export interface OpenDatabase {
  readonly db: Kysely<Tables>;
  /** Where a database holds many inboxes: the schema that is this one's. */
  readonly schema?: string | undefined;
  /** Rows must be locked by `for update`; without, a write transaction keeps every other writer out. */
  readonly rowLocks: boolean;
  /** False once the file was removed or replaced under us: what we write then is in nobody's sight. */
  isInPlace(): boolean;
  /** A WorkerError for what the database or the way to it throws; anything else as it is. */
  explain(error: unknown): unknown;
  /** Its own clock, epoch ms, where it is shared by machines. Theirs may differ. */
  now?(db: Db): Promise<number>;
  /** Where the answer to a commit may be lost on its way: whether this error leaves open if it was made. */
  leavesDoubt?(error: unknown): boolean;
}
