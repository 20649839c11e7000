// The link to the inbox: connected when first needed, connected anew when the inbox was away or forgot us.
import type { Result } from '@modelcontextprotocol/sdk/types.js';
import { mayRepeat } from './repeat.js';
import { type RemoteTool, Session } from './session.js';
import type { FindTarget } from './target.js';
import { nameOf } from './target.js';
import { Trouble, troubleOf } from './trouble.js';

export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export interface LinkOptions {
  readonly find: FindTarget;
  readonly version: string;
  /** Of one request, ms. */
  readonly limitMs: number;
  log(line: string): void;
  /** A new session stands, with these tools. */
  onOpened(tools: readonly RemoteTool[]): void;
  /** The inbox says that its tools have changed. */
  onListChanged(): void;
}

/** `tools` and `call` reject with a Trouble. */
export interface Link {
  tools(signal: AbortSignal): Promise<readonly RemoteTool[]>;
  call(params: CallParams, signal: AbortSignal): Promise<Result>;
  /** What the inbox of the present session tells about itself. */
  instructions(): string | undefined;
  /** Ends the sessions; for good. Never rejects. */
  close(): Promise<void>;
}

interface Open {
  readonly session: Session;
  tools: readonly RemoteTool[];
}

export function createLink(options: LinkOptions): Link {
  const ending = new AbortController();
  const sessions = new Set<Session>();
  let current: Open | undefined;
  let opening: Promise<Open> | undefined;

  async function end(session: Session, how: 'retire' | 'close'): Promise<void> {
    await session[how]();
    sessions.delete(session);
  }

  async function open(): Promise<Open> {
    const { version, limitMs, onListChanged } = options;
    const target = await options.find().catch((error: unknown) => {
      throw troubleOf({ error, inbox: 'the inbox', phase: 'connect', limitMs, secrets: [] });
    });
    const session = new Session({ target, version, limitMs, onListChanged });
    sessions.add(session);
    try {
      await session.open(ending.signal);
      const opened = { session, tools: await session.tools(ending.signal) };
      current = opened;
      options.log(`connected to ${nameOf(target)}: ${opened.tools.length} tools`);
      options.onOpened(opened.tools);
      return opened;
    } catch (error) {
      void end(session, 'close');
      throw error;
    }
  }

  /** The open session, or a new one; several callers share one attempt. `fresh`: made for this very call. */
  async function acquire(): Promise<Open & { fresh: boolean }> {
    if (ending.signal.aborted) throw new Trouble({ kind: 'lost', sentence: 'The bridge is closed.' });
    if (current) return { ...current, fresh: false };
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return { ...(await opening), fresh: true };
  }

  /** Takes the session out of use where the trouble may lie in it. Calls that still run on it are not cut. */
  function doubt(session: Session, { kind }: Trouble): void {
    if (kind === 'rejected' || current?.session !== session) return;
    current = undefined;
    void end(session, 'retire');
  }

  async function tools(signal: AbortSignal, attempt = 1): Promise<readonly RemoteTool[]> {
    const open = await acquire();
    if (open.fresh) return open.tools;
    try {
      const found = await open.session.tools(signal);
      if (current?.session === open.session) current.tools = found;
      return found;
    } catch (error) {
      const trouble = error as Trouble;
      doubt(open.session, trouble);
      if (attempt > 1 || !isPassing(trouble)) throw trouble;
      return tools(signal, attempt + 1);
    }
  }

  /** This session where it is known to live now, else a new one: a call that may not be repeated need not be. */
  async function proven({ session, fresh }: { session: Session; fresh: boolean }, signal: AbortSignal) {
    if (fresh || (await session.lives(signal))) return session;
    options.log('the session has ended: connecting anew');
    doubt(session, new Trouble({ kind: 'gone', sentence: 'The session did not answer.' }));
    return (await acquire()).session;
  }

  async function call(params: CallParams, signal: AbortSignal): Promise<Result> {
    const request = { method: 'tools/call', params: { ...params } };
    const first = await acquire();
    const repeat = mayRepeat(
      first.tools.find(({ name }) => name === params.name),
      params.arguments,
    );
    const session = repeat ? first.session : await proven(first, signal);
    try {
      return await session.ask(request, signal);
    } catch (error) {
      const trouble = error as Trouble;
      doubt(session, trouble);
      if (!repeat) throw notRepeated(trouble, params.name);
      if (!isPassing(trouble)) throw trouble;
      options.log(`${trouble.message} ${params.name} is repeated.`);
      const again = await acquire();
      return again.session.ask(request, signal);
    }
  }

  return {
    tools: (signal) => tools(signal),
    call,
    instructions: () => current?.session.instructions,
    async close() {
      ending.abort();
      current = undefined;
      await opening?.catch(() => {});
      await Promise.all([...sessions].map((session) => end(session, 'close')));
    },
  };
}

/** What a new session may cure. */
const isPassing = ({ kind }: Trouble): boolean => kind === 'gone' || kind === 'lost';

function notRepeated(trouble: Trouble, tool: string): Trouble {
  if (trouble.kind === 'rejected') return trouble;
  return trouble.saying(
    trouble.mayHaveArrived
      ? `${trouble.message} Whether ${tool} was carried out is not known, so it was not repeated: look first.`
      : `${trouble.message} ${tool} was not carried out, and not repeated: call it again.`,
  );
}
