// Asks the worker that served this page, and tells apart what can go wrong.
import type { Refusal } from '../../wire.js';

/** Nobody answers. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** The token is not that of the run that answers. */
export class Locked extends Error {
  override name = 'Locked';
}

/** It answered in a sentence why not. */
export class Refused extends Error {
  override name = 'Refused';
  readonly hint: string;

  constructor({ error, try: hint }: Pick<Refusal, 'error' | 'try'>) {
    super(error);
    this.hint = hint;
  }
}

export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string): Promise<T>;
  /** Now, by the worker's clock: over a forwarded port it may not be ours. */
  now(): number;
}

const DEADLINE_MS = 10_000;
/** The header tells whole seconds. */
const CLOCKS_AGREE_MS = 2_000;

/** Paths are relative to `../control/`, wherever the page lies. */
export function workerApi(token: () => string | undefined): Api {
  let skewMs = 0;

  const ask = async <T>(method: 'GET' | 'POST', path: string): Promise<T> => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(`../control/${path}`, document.baseURI), {
        method,
        headers: { authorization: `Bearer ${token() ?? ''}` },
        cache: 'no-store',
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      text = await response.text();
    } catch (cause) {
      throw new Unreachable('The worker does not answer.', { cause });
    }
    const date = Date.parse(response.headers.get('date') ?? '');
    const skew = date - Date.now();
    skewMs = Math.abs(skew) > CLOCKS_AGREE_MS ? skew : 0;
    if (response.status === 401) throw new Locked('The token is not that of this run.');
    const body = parsed(text);
    if (response.ok) return body as T;
    throw new Refused(
      isRefusal(body) ? body : { error: `The worker answered ${response.status}.`, try: 'Try again.' },
    );
  };

  return {
    get: (path) => ask('GET', path),
    post: (path) => ask('POST', path),
    now: () => Date.now() + skewMs,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && 'try' in body;
}
