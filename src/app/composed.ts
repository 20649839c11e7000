// What an agent is composed of, and what it can be asked and told once it is.
import type { ResolvedInbox, Settings } from '../config/index.js';
import type { Reloaded, RunningEntry } from '../control/index.js';
import type { Fitness } from '../domain/health.js';
import type { Status } from '../domain/status.js';
import type { WakeKind } from '../domain/wake.js';
import type { LogStream } from '../observe/index.js';
import type { Observer } from '../ports/observer.js';
import type { SignalLatch } from '../wake/index.js';
import type { WorkerParts } from '../worker/parts.js';
import type { RunEnd } from '../worker/run-end.js';
import type { Loaded } from './reloader.js';
import type { SharedParts } from './shared-parts.js';

export interface ComposeOptions {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  /** Loads both anew, as they were loaded: for a reload. */
  load(): Promise<Loaded>;
  /** What Claude's environment is taken from. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly observers?: readonly Observer[];
  readonly signals?: SignalLatch;
  /** What it shares with the other agents of its process; without it, it has all that to itself. */
  readonly shared?: SharedParts;
  /** Ends a standby that waits for the lease. */
  readonly signal: AbortSignal;
  /** Where the log goes; default stderr. */
  readonly log?: LogStream;
  /** What is said first; a notice, so that it is told as everything else is. */
  readonly greeting?: string;
  /** What the rehearsal says of itself in the running file, and where that lies. */
  readonly rehearsal?: Pick<RunningEntry, 'inbox' | 'agentAlias'> & { readonly stateRoot: string };
  /** For tests only: a way to stand between the worker and its ports. */
  readonly wrap?: (parts: WorkerParts) => WorkerParts;
}

export interface ComposedAgent {
  /** Runs until it is stopped or nothing is left to wait for. */
  run(): Promise<RunEnd>;
  runOnce(): Promise<RunEnd>;
  stop(how: 'drain' | 'force', text: string): void;
  wake(kind: WakeKind): void;
  status(): Promise<Status>;
  /** In Prometheus' text format; undefined where none are kept. */
  metrics(): Promise<string | undefined>;
  /** From memory, at once. */
  fitness(): Fitness;
  /** Rejects with WorkerError where a file is faulty; everything is as it was then. */
  reload(): Promise<Reloaded>;
  /** Where webhooks are taken; undefined while they are not. */
  webhookAddress(): { host: string; port: number } | undefined;
  /** Gives back all that was taken, in reverse order. Call it after the run. */
  close(): Promise<void>;
}
