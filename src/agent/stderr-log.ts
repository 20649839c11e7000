// Claude's stderr, appended to a file that does not grow for ever.
import { withDeadline } from '../lib/deadline.js';
import { redact } from '../lib/redact.js';
import { RotatingFile } from '../lib/rotating-file.js';

const MAX_BYTES = 5 * 1024 * 1024;
/** A disk that does not answer must not keep Claude from being ended. */
const FLUSH_MS = 2_000;

export interface StderrLogOptions {
  /** At this size the file becomes `PATH.1`, which replaces an older one. Default 5 MB. */
  readonly maxBytes?: number;
  /** Epoch ms. */
  now(): number;
  /** Called once when the file cannot be written. */
  onTrouble(what: string): void;
}

export class StderrLog {
  readonly #file: RotatingFile;
  readonly #now: () => number;

  constructor(path: string, options: StderrLogOptions) {
    const { maxBytes = MAX_BYTES, now, onTrouble } = options;
    this.#now = now;
    this.#file = new RotatingFile({
      path,
      maxBytes,
      keep: 1,
      lost: (count) => this.#stamped('worker', `${count} line(s) could not be written here`),
      onTrouble,
    });
  }

  /** Queues one line. Never throws: a full disk must not stop the agent. */
  line(pid: number | undefined, text: string, secrets: readonly string[] = []): void {
    this.#file.append(this.#stamped(`claude[${pid ?? '?'}]`, redact(text, secrets)));
  }

  /** Resolves when all that was queued is written, could not be, or takes too long. */
  async flush(): Promise<void> {
    await withDeadline(this.#file.flush(), FLUSH_MS, 'writing a log').catch(() => {});
  }

  #stamped(who: string, text: string): string {
    return `${new Date(this.#now()).toISOString()} ${who} ${text}\n`;
  }
}
