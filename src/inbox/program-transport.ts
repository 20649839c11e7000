// An MCP server as a child program: JSON lines on stdin and stdout, in a process group of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { NOT_CONNECTED } from './failure.js';
import type { StdioServer } from './options.js';

/** Between the end of stdin, SIGTERM and SIGKILL. */
const STEP_MS = 2_000;
const LAST_WORDS_CHARS = 2_000;
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The SDK's own stdio transport leaves the child in our process group: the Ctrl-C that asks us to drain would end
 * the inbox program first, and the last reply could not be sent. This one also ends what the child started
 * (`npx` starts a shell that starts the program). Not for Windows, which has no process groups.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: StdioServer;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_LINE_BYTES });
  #child: ChildProcess | undefined;
  #errors = '';
  #gone: Promise<void> = Promise.resolve();

  constructor(server: StdioServer) {
    this.#server = server;
  }

  /** The last line of its stderr: why it ended, or what it waits for (mcp-remote prints its login address there). */
  get lastWords(): string {
    return this.#errors.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }

  /** Resolves when the program runs. Rejects with the system's error when it cannot be started. */
  start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#server;
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
      detached: true,
    });
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-LAST_WORDS_CHARS);
    });
    child.stdin?.on('error', (error) => this.onerror?.(error));
    this.#gone = new Promise((resolve) => {
      child.once('close', () => {
        this.#child = undefined;
        resolve();
        this.onclose?.();
      });
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#child = undefined;
        reject(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error(NOT_CONNECTED);
    if (!stdin.write(serializeMessage(message))) {
      await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), this.#gone]);
    }
  }

  /** Ends the program: stdin, then SIGTERM, then SIGKILL to its whole group. Resolves when it is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    if (await this.#goneWithin(STEP_MS)) return;
    signalGroup(child, 'SIGTERM');
    if (await this.#goneWithin(STEP_MS)) return;
    signalGroup(child, 'SIGKILL');
    await this.#goneWithin(STEP_MS);
  }

  async #goneWithin(limitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs);
    });
    try {
      return await Promise.race([this.#gone.then(() => true as const), limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message (a banner, a warning) is skipped: the buffer has already taken it out.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended in the meantime.
  }
}
