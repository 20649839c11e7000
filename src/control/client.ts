// Asks a running worker over its private listener.
import { WorkerError } from '../domain/errors.js';
import type { Preview } from '../domain/preview.js';
import type { Status } from '../domain/status.js';
import type { Bucket } from '../ports/reports.js';
import { reportPaths } from './report-paths.js';
import type { RunningEntry } from './running-entry.js';
import {
  type ConversationList,
  type DeadList,
  errorFrom,
  type LatencyList,
  type LedgerLine,
  type MessagePage,
  type MessageStory,
  type Operations,
  type Reloaded,
  type Reopened,
  type StopHow,
  type WakeWays,
} from './wire.js';

export interface ControlClient extends Operations {
  status(): Promise<Status>;
  next(): Promise<Preview>;
  /** Rejects with the WorkerError of a faulty file; the worker goes on as it was. */
  reload(): Promise<Reloaded>;
  wake(): Promise<void>;
  /** Opens the dashboard once, within a minute. */
  ticket(): Promise<string>;
  wakeTest(): Promise<WakeWays>;
  /** Resolves when the stop has begun, not when it is over. */
  stop(how: StopHow): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Every call rejects with WorkerError `not-running` when nobody listens there or another program does, `internal`
 * when no answer came within `deadlineMs` (default 5 s), or what the worker itself threw.
 */
export function controlClient(
  entry: Pick<RunningEntry, 'kind' | 'pid' | 'control'>,
  options: { deadlineMs?: number } = {},
): ControlClient {
  const deadlineMs = options.deadlineMs ?? 5000;
  const who = `the ${entry.kind} with pid ${entry.pid}`;

  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    if (!entry.control) throw new WorkerError('not-running', `There is nothing to steer in ${who}.`);
    try {
      const response = await fetch(`${entry.control.url}/control/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${entry.control.token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      });
      return { status: response.status, body: parsed(await response.text()) };
    } catch (error) {
      throw unreachable(error);
    }
  };

  const unreachable = (error: unknown): WorkerError => {
    if (error instanceof Error && error.name === 'TimeoutError') {
      return new WorkerError('internal', `No answer from ${who} within ${deadlineMs / 1000} s.`, {
        hint: `It may be suspended or overloaded: try again, or end the process ${entry.pid}.`,
        cause: error,
      });
    }
    return new WorkerError('not-running', `Nobody answers where ${who} was listening.`, { cause: error });
  };

  const refused = ({ status, body }: Answer): WorkerError => {
    // Its port was given to a new program, or to another run of ours.
    if (status === 401) return new WorkerError('not-running', `Another program answers in place of ${who}.`);
    return (
      errorFrom(body) ?? new WorkerError('not-running', `An unknown program answers in place of ${who}.`)
    );
  };

  const asked = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300 || typeof answer.body !== 'object' || answer.body === null)
      throw refused(answer);
    return answer.body as T;
  };

  return {
    status: () => asked<Status>('GET', 'status'),
    next: () => asked<Preview>('GET', 'next'),
    reload: () => asked<Reloaded>('POST', 'reload'),
    async wake() {
      await asked('POST', 'wake');
    },
    async ticket() {
      return (await asked<{ ticket: string }>('POST', 'ticket')).ticket;
    },
    wakeTest: () => asked<WakeWays>('POST', 'wake-test'),
    async stop(how) {
      try {
        await asked('POST', 'stop', { how });
      } catch (error) {
        // It was heard, and the program was gone before its answer was out.
        if (!lostAnswer(error)) throw error;
      }
    },
    async show(id) {
      const answer = await ask('GET', `messages/${encodeURIComponent(id)}`);
      if (answer.status === 404 && errorFrom(answer.body)) return undefined;
      if (answer.status !== 200) throw refused(answer);
      return answer.body as MessageStory;
    },
    async turns(limit) {
      return (await asked<{ turns: LedgerLine[] }>('GET', reportPaths.turns(limit))).turns;
    },
    conversations: () => asked<ConversationList>('GET', reportPaths.conversations),
    messages: (query) => asked<MessagePage>('GET', reportPaths.messages(query)),
    async idsLike(prefix) {
      return (await asked<{ ids: string[] }>('GET', reportPaths.idsLike(prefix))).ids;
    },
    async series(query) {
      return (await asked<{ buckets: Bucket[] }>('GET', reportPaths.series(query))).buckets;
    },
    latencies: (span) => asked<LatencyList>('GET', reportPaths.latencies(span)),
    dead: () => asked<DeadList>('GET', 'dead'),
    retry: (id) => asked<Reopened>('POST', `messages/${encodeURIComponent(id)}/retry`),
    drop: (id) => asked<{ messages: number }>('POST', `messages/${encodeURIComponent(id)}/drop`),
    async settleUnsure(rowId, how) {
      await asked('POST', `outbox/${rowId}/${how}`);
    },
  };
}

/** The connection stood and broke, as opposed to never having come about. */
function lostAnswer(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE') return true;
  }
  return false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
