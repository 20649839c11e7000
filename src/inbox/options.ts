// What an inbox connection is told: where the inbox is, which tools it has, whom we are there.
import type { Clock } from '../ports/clock.js';
import type { CustomProfile } from './profiles/custom-schema.js';

export interface HttpServer {
  readonly type: 'http';
  readonly url: string;
  /** Sent with every request, the bearer key among them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface StdioServer {
  readonly type: 'stdio';
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to a small safe default (PATH, HOME, …): the program does not see our whole environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

export type InboxServer = HttpServer | StdioServer;

export type ProfileChoice = 'auto' | 'dms' | 'agentdm' | CustomProfile;

export interface InboxOptions {
  readonly server: InboxServer;
  /** `auto` (default) chooses from the server's tools. */
  readonly profile?: ProfileChoice | undefined;
  /** Our own name in the inbox, with or without `@`. */
  readonly ownAlias?: string | undefined;
  readonly clock: Clock;
  /** Limit of one request, ms. Default 15,000: the SDK's own 60 s would leave us deaf for a minute. */
  readonly callTimeoutMs?: number | undefined;
  /**
   * The server announced something by itself, or may have done so while its stream was cut. Where this is given, the
   * standing stream of a session is kept open, and changes of the server's resources are asked for.
   */
  onAnnounced?: (() => void) | undefined;
  /** Told in one sentence what is worth knowing and is not an outcome. Free of secrets and message texts. */
  onNotice?(text: string): void;
}

export const DEFAULT_CALL_TIMEOUT_MS = 15_000;
