// The connection to the inbox: made when first needed, made anew when the server forgot us, ended once.
import type { CallOptions, CallTool, Failure, Reply, Tool, ToolResult } from './call.js';
import type { Era } from './era.js';
import { type Attempt, greet } from './greeting.js';
import type { InboxServer } from './options.js';
import { nameOfServer } from './secrets.js';
import { Session, type SessionSettings } from './session.js';

export interface Connection {
  /** The server's tools, asked once a session. Connects if need be. Never rejects. */
  tools(signal: AbortSignal): Promise<Reply<readonly Tool[]>>;
  readonly call: CallTool;
  /** What was last agreed to be spoken, as it stands in a sentence. */
  protocol(): string | undefined;
  /** Ends the session on the server and the connection; for good. Never rejects. */
  close(): Promise<void>;
}

interface Open {
  readonly session: Session;
  readonly tools: readonly Tool[];
}

/**
 * One SDK client at a time. After a failure that may lie in the session (all but "wait" and "no") the next call
 * begins a new one; calls that still run on the old one are not cut: a send cut in the middle is a send nobody
 * knows the end of.
 */
export function createConnection(settings: SessionSettings, notice: (text: string) => void): Connection {
  const ending = new AbortController();
  const sessions = new Set<Session>();
  let current: Open | undefined;
  let opening: Promise<Reply<Open>> | undefined;
  let spoken: { readonly era: Era; readonly protocol: string | undefined } | undefined;

  async function end(session: Session, how: 'retire' | 'close'): Promise<void> {
    await session[how]();
    sessions.delete(session);
  }

  async function attempt(era: Era): Promise<Attempt<Session>> {
    const session = new Session(settings, era);
    sessions.add(session);
    const reply = await session.open(ending.signal);
    if (reply.kind === 'failed') return { reply, ended: end(session, 'close') };
    return { reply: { kind: 'answered', value: session }, ended: Promise.resolve() };
  }

  async function open(): Promise<Reply<Open>> {
    const greeted = await greet(settings.server, spoken?.era, attempt);
    if (greeted.kind === 'failed') return greeted;
    const session = greeted.value;
    const listed = await session.tools(ending.signal);
    if (listed.kind === 'failed') {
      void end(session, 'close');
      return listed;
    }
    const { era, protocol } = session;
    if (spoken && spoken.protocol !== protocol)
      notice(`The inbox speaks ${protocol} now, and ${spoken.protocol} no more.`);
    spoken = { era, protocol };
    current = { session, tools: listed.value };
    // Beside the first call, not before it: mail matters more than hearing of the next one.
    void session.subscribe(ending.signal);
    return { kind: 'answered', value: current };
  }

  /** The open session, or a new one. Several callers share one attempt; one of them giving up does not end it. */
  async function acquire(signal: AbortSignal): Promise<Reply<Open>> {
    if (ending.signal.aborted) return closed(settings.server);
    if (current?.session.usable) return { kind: 'answered', value: current };
    if (current) drop(current.session);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return orAborted(opening, signal, settings.server);
  }

  /**
   * A send that cannot be repeated is not risked on a connection that may have died while it was idle: nobody
   * could tell afterwards whether it arrived. A harmless request goes first, one the server has answered before.
   */
  async function acquireProven(signal: AbortSignal): Promise<Reply<Open>> {
    const acquired = await acquire(signal);
    if (acquired.kind === 'failed' || acquired.value.session.fresh) return acquired;
    const knock = await acquired.value.session.tools(signal);
    if (knock.kind === 'answered') return acquired;
    if (!doubtsSession(knock)) return knock;
    drop(acquired.value.session);
    return acquire(signal);
  }

  function drop(session: Session): void {
    if (current?.session === session) current = undefined;
    void end(session, 'retire');
  }

  async function call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<Reply<ToolResult>> {
    for (let attempt = 1; ; attempt += 1) {
      const acquired = await (options.repeat ? acquire : acquireProven)(options.signal);
      if (acquired.kind === 'failed') return acquired;
      const { session } = acquired.value;
      const reply = await session.call(name, args, options.signal);
      if (reply.kind === 'answered') return reply;
      if (doubtsSession(reply)) drop(session);
      // The session was proven a moment ago: then 400 is said of this request, and would be said of it for ever.
      if (!options.repeat && reply.status === 400 && !reply.versions) return { ...reply, reason: 'rejected' };
      if (attempt > 1 || !mayAskAgain(reply, options)) return reply;
      notice(`${reply.message} Asking once more.`);
    }
  }

  return {
    async tools(signal) {
      const acquired = await acquire(signal);
      return acquired.kind === 'failed' ? acquired : { kind: 'answered', value: acquired.value.tools };
    },
    call,
    protocol: () => spoken?.protocol,
    async close() {
      ending.abort();
      current = undefined;
      await opening?.catch(() => {});
      await Promise.all([...sessions].map((session) => end(session, 'close')));
    },
  };
}

/** Cut, not silent: an answer that did not come within the time limit would hardly come within another. */
function mayAskAgain({ reason, unanswered }: Failure, { repeat, harmless }: CallOptions): boolean {
  return reason === 'session-gone' ? repeat : harmless && unanswered === 'cut';
}

function doubtsSession(failure: Failure): boolean {
  return !['rate-limited', 'rejected', 'aborted'].includes(failure.reason);
}

const closed = (server: InboxServer): Failure => ({
  kind: 'failed',
  reason: 'aborted',
  message: `The connection to ${nameOfServer(server)} was closed.`,
  mayHaveArrived: false,
});

async function orAborted<T>(
  promise: Promise<Reply<T>>,
  signal: AbortSignal,
  server: InboxServer,
): Promise<Reply<T>> {
  let onAbort = () => {};
  const aborted = new Promise<Failure>((resolve) => {
    onAbort = () =>
      resolve({
        kind: 'failed',
        reason: 'aborted',
        message: `The request to ${nameOfServer(server)} was called off before it was sent.`,
        mayHaveArrived: false,
      });
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
