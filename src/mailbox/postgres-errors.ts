// What PostgreSQL or the way to it may throw, put into sentences.
import { WorkerError } from '../domain/errors.js';

/** An error that the server itself reported; `code` is its SQLSTATE. */
export interface DatabaseWord extends Error {
  readonly code: string;
}

/** The connection broke, or never stood: nobody knows what became of what was asked last. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'ConnectionLost';
  }
}

export function isDatabaseWord(error: unknown): error is DatabaseWord {
  return (
    error instanceof Error &&
    'severity' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    // These end the connection: what it was about to do is in doubt.
    !/^(57P0|08)/.test(error.code)
  );
}

/** Also where it has been put into words already. */
export function isConnectionLost(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ConnectionLost) return true;
  }
  return false;
}

/** By the SQLSTATE, or its class: what it means here, and what to try. */
const WORDS: readonly (readonly [RegExp, string, string])[] = [
  [/^28/, 'refuses the login', 'Check user and password in database_url, and what pg_hba.conf allows.'],
  [/^3D000/, 'does not exist', 'Create it (createdb), or correct database_url.'],
  [/^42501/, 'does not let us do this', 'Grant the user CREATE on the database, or make the schema for it.'],
  [/^53300/, 'has no connection left', 'Raise max_connections, or end other clients; it is tried again.'],
  [/^53[12]/, 'is out of room', 'Free some space on its disk; nothing is lost, and the worker goes on.'],
  [/^25006/, 'takes no writes', 'Point database_url to the primary, not to a standby.'],
  [/^(57014|55P03|40P01|25P03)/, 'kept us waiting for a lock for too long', 'End the session that holds it.'],
  [
    /^(3F000|42P01|42703)/,
    'has lost our tables',
    'Put a copy back, or start the worker again: it makes new ones.',
  ],
];

/** The WorkerError for what was thrown; what is neither the server's word nor the line's is answered as it is. */
export function explainPostgres(error: unknown, name: string): unknown {
  if (error instanceof WorkerError) return error;
  if (isConnectionLost(error)) {
    return new WorkerError('store-unreachable', `${sentence(name)} cannot be reached (${reasonOf(error)}).`, {
      cause: error,
    });
  }
  if (!isDatabaseWord(error)) return error;
  if (error.code.startsWith('23')) {
    return new WorkerError('internal', `The store refused a row (${error.message}).`, { cause: error });
  }
  const [, what, hint] = WORDS.find(([codes]) => codes.test(error.code)) ?? [];
  return new WorkerError(
    'store-unusable',
    `${sentence(name)} ${what ?? 'refused what we asked'} (${error.message}).`,
    { cause: error, ...(hint === undefined ? {} : { hint }) },
  );
}

const sentence = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Node reports a host with several addresses as one error without words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof ConnectionLost) return error.message;
  return error instanceof Error ? error.message : String(error);
}
