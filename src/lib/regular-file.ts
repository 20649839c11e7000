// Opens files that others may have put something else in place of: a pipe or a device must not keep us waiting.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
/** Without it, opening a pipe waits for whoever has the other end. Windows knows neither it nor such pipes. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

/** Stands for whatever is no file: told like any other fault of the file system. */
export class NoRegularFile extends Error {
  readonly code = 'ENOTFILE';
  readonly path: string;

  constructor(path: string) {
    super(`${path} is not a regular file`);
    this.path = path;
  }
}

/** Opens to read. Rejects as `open` does, and with `NoRegularFile` for a pipe, a device, a socket or a folder. */
export function openToRead(path: string): Promise<FileHandle> {
  return openRegular(path, O_RDONLY);
}

/** Opens to append, makes the file where it is missing; it can be read, too. Rejects as `openToRead`. */
export function openToAppend(path: string, mode: number): Promise<FileHandle> {
  return openRegular(path, O_RDWR | O_APPEND | O_CREAT, mode);
}

async function openRegular(path: string, flags: number, mode?: number): Promise<FileHandle> {
  const file = await open(path, flags | O_NONBLOCK, mode).catch((error: NodeJS.ErrnoException) => {
    // A pipe that nobody reads, a socket, a folder.
    throw error.code === 'ENXIO' || error.code === 'EISDIR' ? new NoRegularFile(path) : error;
  });
  try {
    if ((await file.stat()).isFile()) return file;
    throw new NoRegularFile(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The whole text of a regular file; undefined when there is none. */
export async function readRegular(path: string): Promise<string | undefined> {
  try {
    const file = await openToRead(path);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
