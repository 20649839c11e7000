// The control file `pause`: put there and taken away by a command, as a person would by hand.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerError } from '../domain/errors.js';

/**
 * Makes the `pause` file of an agent's `.orchestrator` folder, or removes it. Answers whether that changed anything.
 * Rejects with WorkerError `file-unreadable` where the folder may not be written.
 * @param at epoch ms; for people who read the file
 */
export async function setPaused(folder: string, paused: boolean, at: number): Promise<boolean> {
  const path = join(folder, 'pause');
  try {
    if (paused) await mkdir(folder, { recursive: true });
    return await (paused ? make(path, at) : remove(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new WorkerError(
      'file-unreadable',
      `The control file ${path} cannot be changed (${code ?? error}).`,
      {
        hint: 'Check that you may write to that folder.',
        cause: error,
      },
    );
  }
}

function make(path: string, at: number): Promise<boolean> {
  const text = `paused ${new Date(at).toISOString()} by command\n`;
  return unless('EEXIST', writeFile(path, text, { flag: 'wx' }));
}

const remove = (path: string): Promise<boolean> => unless('ENOENT', rm(path));

async function unless(code: string, done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
