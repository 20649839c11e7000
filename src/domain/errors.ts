// The one table of what can be thrown: a code, its exit code, and what to try.

/** Exit codes of the command, documented in the README. */
export const EXIT = {
  done: 0,
  internal: 1,
  usage: 2,
  leaseHeld: 3,
  agentUnusable: 4,
  inboxUnusable: 5,
  overBudget: 6,
  waitExpired: 7,
  notRunning: 8,
} as const;

interface ErrorKind {
  readonly exitCode: number;
  readonly hint: string;
}

/** Every code with its exit code and its default hint. A thrower may give a closer hint. */
export const ERROR_KINDS = {
  internal: {
    exitCode: EXIT.internal,
    hint: 'This is a fault of ours: run again with --log-level debug and report what it prints.',
  },
  usage: { exitCode: EXIT.usage, hint: 'See inbox-worker --help.' },
  'setting-invalid': {
    exitCode: EXIT.usage,
    hint: 'Correct the value; docs/settings.md lists every setting.',
  },
  'setting-unknown': {
    exitCode: EXIT.usage,
    hint: 'Check the spelling; docs/settings.md lists every setting.',
  },
  'file-unreadable': { exitCode: EXIT.usage, hint: 'Check that the file exists and that you may read it.' },
  'mcp-json-invalid': { exitCode: EXIT.usage, hint: 'Compare it with .mcp.json.example.' },
  'inbox-unset': {
    exitCode: EXIT.usage,
    hint: 'Name the inbox with --inbox NAME, or run `inbox-worker rehearse` to try without one.',
  },
  'variable-unset': { exitCode: EXIT.usage, hint: 'Set it in the environment or in .env.' },
  'lease-held': { exitCode: EXIT.leaseHeld, hint: 'Stop the other worker, or wait for it with --standby.' },
  'lease-lost': {
    exitCode: EXIT.leaseHeld,
    hint: 'Another worker took this inbox over; see `inbox-worker status`.',
  },
  'claude-not-found': {
    exitCode: EXIT.agentUnusable,
    hint: 'Install Claude Code (npm install -g @anthropic-ai/claude-code) or set CLAUDE_PATH.',
  },
  'claude-too-old': { exitCode: EXIT.agentUnusable, hint: 'Update Claude Code to 2.1.133 or newer.' },
  'claude-root': {
    exitCode: EXIT.agentUnusable,
    hint: 'Run as another user, choose another preset, or set IS_SANDBOX=1 inside a container made for this.',
  },
  'claude-failed': {
    exitCode: EXIT.agentUnusable,
    hint: 'Read .orchestrator/agent-loop.log; it holds what Claude Code printed.',
  },
  'claude-unauthorised': {
    exitCode: EXIT.agentUnusable,
    hint: 'Log in once with the Claude Code program that `doctor` names, or put ANTHROPIC_API_KEY into .env.',
  },
  'inbox-unauthorised': {
    exitCode: EXIT.inboxUnusable,
    hint: 'See to the key of the inbox: in .env, or in the headers of its entry in .mcp.json.',
  },
  'inbox-down': {
    exitCode: EXIT.inboxUnusable,
    hint: 'Check the address of the inbox and that it is running.',
  },
  'inbox-unrecognised': {
    exitCode: EXIT.inboxUnusable,
    hint: 'Check the address of the inbox (`url` in .mcp.json), and the setting `profile`.',
  },
  'over-budget': { exitCode: EXIT.overBudget, hint: 'Raise the budget, or wait for its window to end.' },
  'wait-expired': {
    exitCode: EXIT.waitExpired,
    hint: 'Wait longer (--wait 5m), or look with `inbox-worker status` at what the worker is doing.',
  },
  'not-running': {
    exitCode: EXIT.notRunning,
    hint: 'Start it with `inbox-worker run`, or `npm start` for a rehearsal.',
  },
  ambiguous: { exitCode: EXIT.usage, hint: 'Say which one with --agent, --inbox or --dir.' },
  'send-refused': { exitCode: EXIT.internal, hint: 'Check the name of the recipient.' },
  'store-unusable': {
    exitCode: EXIT.internal,
    hint: 'Check the disk and the rights of the state folder; nothing was changed.',
  },
  'store-unreachable': {
    exitCode: EXIT.internal,
    hint: 'Start the database, or correct database_url; a running worker goes on by itself.',
  },
  'port-taken': { exitCode: EXIT.usage, hint: 'Choose another port, or 0 for any free one.' },
  'webhook-insecure': { exitCode: EXIT.usage, hint: 'Set WEBHOOK_SECRET, or bind to 127.0.0.1.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

/** Whatever this program throws on purpose: a sentence, and what to try. */
export class WorkerError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly exitCode: number;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WorkerError';
    this.code = code;
    this.hint = options.hint ?? ERROR_KINDS[code].hint;
    this.exitCode = ERROR_KINDS[code].exitCode;
  }
}
