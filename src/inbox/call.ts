// How a request to the inbox ends: answered, or failed for one of a few reasons.

/** What a tool answered, as tolerantly as MCP allows. */
export interface ToolResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface Tool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

export type FailureReason =
  /** Not reachable, a 5xx, a time limit, a cut. */
  | 'down'
  | 'unauthorised'
  | 'rate-limited'
  /** It answered, but not as an MCP server that we know. */
  | 'unrecognised'
  /** A JSON-RPC error: the server understood us and said no. */
  | 'rejected'
  /** The server has forgotten our session, or what was agreed on. */
  | 'session-gone'
  /** The caller gave up. */
  | 'aborted';

export interface Failure {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  /** One sentence, free of secrets. */
  readonly message: string;
  /** Where the server named an instant to come back at, epoch ms. */
  readonly until?: number | undefined;
  /** The HTTP status, where it was that. */
  readonly status?: number | undefined;
  /** No answer came: there was silence until the time limit, or it was cut. */
  readonly unanswered?: 'silent' | 'cut' | undefined;
  /** The versions of MCP it says it speaks, where it refused ours. */
  readonly versions?: readonly string[] | undefined;
  /** False: certainly not acted upon. True: the request may have left and nobody heard the end of it. */
  readonly mayHaveArrived: boolean;
}

export type Reply<T> = { readonly kind: 'answered'; readonly value: T } | Failure;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** May be asked a second time where the first one met a forgotten session. */
  readonly repeat: boolean;
  /** May be asked a second time even where the first one was taken: its answer was cut. */
  readonly harmless: boolean;
}

/** Calls one tool. Never rejects. */
export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions,
) => Promise<Reply<ToolResult>>;
