// Claude's stderr, appended to a file that does not grow for ever.
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact } from '../lib/redact.js';

const MAX_BYTES = 5 * 1024 * 1024;

export interface StderrLogOptions {
  /** At this size the file becomes `PATH.1`, which replaces an older one. Default 5 MB. */
  readonly maxBytes?: number;
  /** Epoch ms. */
  now(): number;
  /** Called once when the file cannot be written. */
  onTrouble(what: string): void;
}

export class StderrLog {
  readonly #path: string;
  readonly #options: StderrLogOptions;
  #writing: Promise<void> = Promise.resolve();
  #bytes: number | undefined;
  #told = false;

  constructor(path: string, options: StderrLogOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Queues one line. Never throws: a full disk must not stop the agent. */
  line(pid: number | undefined, text: string, secrets: readonly string[] = []): void {
    const when = new Date(this.#options.now()).toISOString();
    const line = `${when} claude[${pid ?? '?'}] ${redact(text, secrets)}\n`;
    this.#writing = this.#writing.then(() => this.#append(line)).catch((error) => this.#trouble(error));
  }

  /** Resolves when all that was queued is written. */
  flush(): Promise<void> {
    return this.#writing;
  }

  async #append(line: string): Promise<void> {
    if (this.#bytes === undefined) {
      await mkdir(dirname(this.#path), { recursive: true });
      this.#bytes = await stat(this.#path).then(
        ({ size }) => size,
        () => 0,
      );
    }
    const length = Buffer.byteLength(line);
    if (this.#bytes > 0 && this.#bytes + length > (this.#options.maxBytes ?? MAX_BYTES)) {
      await rename(this.#path, `${this.#path}.1`);
      this.#bytes = 0;
    }
    await appendFile(this.#path, line, { mode: 0o600 });
    this.#bytes += length;
  }

  #trouble(error: unknown): void {
    this.#bytes = undefined;
    if (this.#told) return;
    this.#told = true;
    this.#options.onTrouble(
      `${this.#path} cannot be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}
