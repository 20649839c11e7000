// A program on a pseudo-terminal, and the screen a person would see of it. Needs python3, whose library has such terminals.

import { join } from 'node:path';
import { execa, execaSync, type ResultPromise } from 'execa';
import { Screen } from './screen.js';

const HELPER = join(import.meta.dirname, 'on-terminal.py');
const DEADLINE_MS = 60_000;

/** Is there a python3 that can make a pseudo-terminal? */
export const HAS_PTY =
  execaSync('python3', ['-c', 'import pty, fcntl, termios'], { reject: false }).exitCode === 0;

export interface PtyOptions {
  readonly columns?: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class PtyProcess {
  readonly screen: Screen;
  /** All that was written, as it came. */
  raw = '';
  readonly #child: ResultPromise<{ reject: false; extendEnv: false; buffer: false }>;
  readonly #waiters = new Set<() => void>();
  #said = '';

  constructor(program: string, args: readonly string[], { columns = 80, cwd, env }: PtyOptions) {
    this.screen = new Screen(columns);
    this.#child = execa('python3', [HELPER, String(columns), program, ...args], {
      cwd,
      env: { TERM: 'xterm', ...env },
      extendEnv: false,
      reject: false,
      buffer: false,
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
      this.screen.feed(text);
      for (const waiter of [...this.#waiters]) waiter();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
  }

  /** Resolves when the screen fits, now or later; rejects after a deadline that only a hang meets. */
  until(fits: (screen: Screen) => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const give = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(look);
        reject(
          new Error(`${what} did not come; the screen was:\n${this.screen.rows.join('\n')}\n${this.#said}`),
        );
      };
      const timer = setTimeout(give, DEADLINE_MS);
      // What has ended shows nothing more.
      this.#child.then(() => this.#waiters.has(look) && give());
      const look = (): void => {
        if (!fits(this.screen)) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
      look();
    });
  }

  /** The screen's last row. */
  bottom(pattern: RegExp): Promise<void> {
    return this.until((screen) => pattern.test(screen.bottom), `a last row like ${pattern}`);
  }

  resize(columns: number): void {
    this.screen.resize(columns);
    this.#send(`resize ${columns}`);
  }

  /** Presses keys: `\u0003` is Ctrl-C. */
  type(keys: string): void {
    this.#send(`type ${Buffer.from(keys).toString('hex')}`);
  }

  /** What a shell's `fg` sends. */
  continue(): void {
    this.#send('cont');
  }

  /** How the program ended: `exit 0`, `signal 15`. */
  async ended(): Promise<string> {
    await this.#child;
    return this.#said.trim();
  }

  async kill(): Promise<void> {
    this.#child.stdin?.end();
    await this.#child;
  }

  #send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}
