// A disk that refuses, told as what it is and not as a fault of ours.
import { WorkerError } from '../domain/errors.js';

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The file system is read-only',
  EACCES: 'A file may not be written',
  EPERM: 'A file may not be written',
  ENOTDIR: 'A file stands where a folder should be',
};

/** The WorkerError for a fault of the file system, or undefined for any other. */
export function diskTrouble(error: unknown): WorkerError | undefined {
  if (!(error instanceof Error) || error instanceof WorkerError) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const sentence = SENTENCES[code ?? ''];
  if (sentence === undefined) return undefined;
  return new WorkerError('store-unusable', `${sentence}${path === undefined ? '' : `: ${path}`}.`, {
    cause: error,
  });
}
