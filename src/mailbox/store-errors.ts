// What a database or a disk may throw, put into sentences.
import { WorkerError } from '../domain/errors.js';

/** SQLITE_IOERR_SHMSIZE: the -shm file could not be grown, which on a healthy disk means no room. */
const FULL = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'];
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];
const FORBIDDEN = [
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_PERM',
  'SQLITE_AUTH',
  'EACCES',
  'EPERM',
  'EROFS',
];
const BUSY = ['SQLITE_BUSY', 'SQLITE_LOCKED'];

/** True for a full disk or quota, whether thrown by the database, by the file system, or already put into words. */
export function isDiskFull(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (FULL.includes(codeOf(at))) return true;
  }
  return false;
}

/**
 * The WorkerError for what was thrown at `place` (the path of the database).
 * What is neither the database's nor the file system's word is answered as it is: a bug keeps its own stack.
 */
export function toStoreError(error: unknown, place: string): unknown {
  if (error instanceof WorkerError) return error;
  const code = codeOf(error);
  const is = (list: readonly string[]): boolean => list.some((start) => code.startsWith(start));
  const unusable = (message: string, hint?: string): WorkerError =>
    new WorkerError('store-unusable', message, { cause: error, ...(hint === undefined ? {} : { hint }) });

  if (isDiskFull(error)) {
    return unusable(
      `The disk is full: nothing can be written to ${place}.`,
      'Free some space; nothing is lost, and the worker goes on by itself.',
    );
  }
  if (is(DAMAGED)) return damagedStore(place, messageOf(error), error);
  if (is(FORBIDDEN)) return unusable(`${place} cannot be opened for writing (${messageOf(error)}).`);
  if (is(BUSY)) {
    return unusable(
      `${place} has been locked by another program for too long.`,
      'End the program that holds it open (a database browser, a backup), or wait for it.',
    );
  }
  if (is(['SQLITE_CONSTRAINT'])) {
    return new WorkerError('internal', `The store refused a row (${messageOf(error)}).`, { cause: error });
  }
  if (is(['SQLITE_']) || isSystemError(error))
    return unusable(`${place} cannot be used (${messageOf(error)}).`);
  return error;
}

export function damagedStore(place: string, what: string, cause?: unknown): WorkerError {
  return new WorkerError(
    'store-unusable',
    `${place} is damaged or is not a store of inbox-worker (${what}).`,
    {
      hint: 'Move the file away (with its -wal and -shm) and start again, or put a copy of it back.',
      cause,
    },
  );
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Errors of node:fs carry the system call that failed. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
