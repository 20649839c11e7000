// A started Claude Code: the process, its protocol, and what its frames have told so far.
import { redact } from '../lib/redact.js';
import { LimitMemory } from './classify.js';
import type { Frame } from './frames.js';
import type { McpConfigFile } from './mcp-config.js';
import type { GatewayAccess } from './options.js';
import { type ChildProcess, type Exit, spawnClaude } from './process.js';
import { Protocol } from './protocol.js';
import type { StderrLog } from './stderr-log.js';
import { Meter } from './usage.js';

export interface RunningOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly prefix: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly gateway: GatewayAccess;
  readonly token: string;
  readonly secrets?: readonly string[] | undefined;
  readonly config: McpConfigFile;
  readonly log: StderrLog;
  readonly sessionId: string;
  readonly version: string | undefined;
  onOddity(what: string): void;
}

const TAIL_LINES = 20;

export class Running {
  readonly child: ChildProcess;
  readonly protocol: Protocol;
  readonly meter = new Meter();
  readonly limits = new LimitMemory();
  /** The last lines of stderr. */
  readonly stderr: string[] = [];
  /** The errors of its last result: the only sign of an unknown session in some versions. */
  said: readonly string[] = [];
  sessionId: string;
  version: string | undefined;
  /** The session's history is not empty. */
  dirty = false;
  /** The readiness gate has seen the gateway. */
  proven = false;
  /** How often a `conversation_reset` came. */
  resets = 0;
  /** How it ended, where we did not end it. */
  diedHow: string | undefined;
  /** The gateway's state in the last init. */
  gatewayStatus: string | undefined;
  readonly #options: RunningOptions;
  #retired = false;

  constructor(options: RunningOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.version = options.version;
    this.protocol = new Protocol({
      write: (line) => this.child.write(line),
      onFrame: (frame) => this.#see(frame),
      onOddity: options.onOddity,
    });
    this.child = spawnClaude({
      ...options,
      onStdout: (chunk) => this.protocol.push(chunk),
      onStderrLine: (line) => this.#hear(line),
    });
    this.child.exited.then((exit) => {
      const how = redact(this.#endedHow(exit), [options.token, ...(options.secrets ?? [])]);
      if (!this.#retired) this.diedHow = how;
      this.protocol.end(`Claude Code ended (${how}).`);
    });
  }

  get alive(): boolean {
    return !this.child.hasExited;
  }

  /** We have ended it, or are about to. */
  get retired(): boolean {
    return this.#retired;
  }

  /** How it ended, without a full stop: `exit code 7: its last line of stderr`. */
  #endedHow(exit: Exit): string {
    if (exit.spawnError !== undefined) return exit.spawnError;
    const how = exit.signal === undefined ? `exit code ${exit.code ?? '?'}` : `signal ${exit.signal}`;
    const last = this.stderr.findLast((line) => line.trim() !== '');
    return last === undefined ? how : `${how}: ${last.slice(0, 200)}`;
  }

  /**
   * Revokes its token, ends it and all it started, removes its configuration. Never rejects. May be called again,
   * with a shorter deadline too.
   */
  async retire(deadlineMs: number): Promise<void> {
    const { gateway, token, config, log } = this.#options;
    if (!this.#retired) gateway.revokeToken(token);
    this.#retired = true;
    await this.child.end(deadlineMs);
    await config.remove();
    await log.flush();
  }

  #see(frame: Frame): void {
    if (frame.kind === 'init') {
      this.sessionId = frame.frame.session_id ?? this.sessionId;
      this.version = frame.frame.claude_code_version ?? this.version;
      // After a reconnect some versions list a server twice, failed and connected.
      const states = frame.frame.mcp_servers?.filter((server) => server.name === this.#options.gateway.name);
      this.gatewayStatus =
        states?.find((server) => server.status === 'connected')?.status ?? states?.[0]?.status;
    }
    if (frame.kind === 'result') {
      this.sessionId = frame.frame.session_id ?? this.sessionId;
      this.said = frame.frame.errors ?? [];
    }
    if (frame.kind === 'limit') this.limits.take(frame.frame);
    if (frame.kind === 'reset') this.resets += 1;
  }

  #hear(line: string): void {
    this.stderr.push(line);
    if (this.stderr.length > TAIL_LINES) this.stderr.shift();
    const { log, token, secrets = [] } = this.#options;
    log.line(this.child.pid, line, [token, ...secrets]);
  }
}
