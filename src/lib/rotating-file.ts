// A log file that does not grow for ever: lines are appended, and a full file becomes PATH.1, PATH.2 and so on.
import { type FileHandle, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { coalesced } from './coalesce.js';
import { openToAppend } from './regular-file.js';

export interface RotatingFileOptions {
  readonly path: string;
  /** No file grows beyond this; a longer line is cut. */
  readonly maxBytes: number;
  /** How many full files are kept beside the current one; at least 1. */
  readonly keep: number;
  /** Permission bits of a file that is made. Default 0o600. */
  readonly mode?: number;
  /** The line, with its end, that stands for `count` lines that could not be written. */
  lost(count: number): string;
  /** One sentence, once an outage. */
  onTrouble(text: string): void;
}

/** While the disk is slow, so many bytes wait in memory at most. */
const MOST_WAITING = 4 * 1024 * 1024;

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  readonly #writer;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** Lines that could not be written, and have not been told of. */
  #lost = 0;
  #failing = false;
  /** The last write came to its end, so the file ends in a whole line. */
  #whole = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
    this.#writer = coalesced(() => this.#write());
  }

  /** Queues one line, with its end. Never throws: a full disk must not stop anybody. */
  append(line: string): void {
    const bytes = cut(Buffer.from(line), this.#options.maxBytes);
    if (this.#bytes + bytes.length > MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#writer.request();
  }

  /** Resolves when all that was queued is written, or could not be. Never rejects. */
  flush(): Promise<void> {
    return this.#writer.idle();
  }

  async #write(): Promise<void> {
    const { lost: tell } = this.#options;
    let left = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    const lost = this.#lost;
    if (lost > 0) left = [Buffer.from(tell(lost)), ...left];
    try {
      while (left.length > 0) left = await this.#put(left);
      this.#lost -= lost;
      this.#failing = false;
    } catch (error) {
      // Kept until the disk has room again, they would fill the memory instead.
      this.#lost += left.length - (lost > 0 ? 1 : 0);
      this.#trouble(error);
    }
  }

  /** Writes what there is room for, and answers the others. */
  async #put(lines: Buffer[]): Promise<Buffer[]> {
    const { path, maxBytes } = this.#options;
    const file = await this.#open();
    let inode: number;
    try {
      const { size, ino } = await file.stat();
      inode = ino;
      const mend = this.#whole || (await endsWhole(file, size)) ? [] : [Buffer.from('\n')];
      let room = maxBytes - size - mend.length;
      const tooMuch = lines.findIndex((line) => {
        room -= line.length;
        return room < 0;
      });
      const fitting = tooMuch === -1 ? lines : lines.slice(0, tooMuch);
      if (fitting.length > 0) {
        this.#whole = false;
        await file.appendFile(Buffer.concat([...mend, ...fitting]));
        this.#whole = true;
        return lines.slice(fitting.length);
      }
    } finally {
      await file.close();
    }
    // Another program may have moved it since we opened it: then there is a new one to fill.
    const stands = await stat(path).catch(() => undefined);
    if (stands?.ino === inode) await this.#rotate();
    return lines;
  }

  async #open(): Promise<FileHandle> {
    const { path, mode = 0o600 } = this.#options;
    return openToAppend(path, mode).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true });
      return openToAppend(path, mode);
    });
  }

  /** The oldest first, so that a crash in between leaves a gap and overwrites nothing. */
  async #rotate(): Promise<void> {
    const { path, keep } = this.#options;
    for (let n = keep - 1; n >= 1; n -= 1) await moved(`${path}.${n}`, `${path}.${n + 1}`);
    await moved(path, `${path}.1`);
    // Whoever lowered the number wants the room back.
    await rm(`${path}.${keep + 1}`, { force: true });
  }

  #trouble(error: unknown): void {
    this.#whole = false;
    if (this.#failing) return;
    this.#failing = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.onTrouble(
      `${this.#options.path} cannot be written (${reason}); the work goes on without it`,
    );
  }
}

async function moved(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Does the file end in a line end? A crash or a full disk may have cut its last line short. */
async function endsWhole(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 0 || buffer[0] === 0x0a;
}

/** A line of at most so many bytes, its end included, and no half character at the cut. */
function cut(line: Buffer, maxBytes: number): Buffer {
  if (line.length <= maxBytes) return line;
  let end = maxBytes - 1;
  // Bytes that go on with a character begin with the bits 10.
  while (end > 0 && ((line[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([line.subarray(0, end), Buffer.from('\n')]);
}
