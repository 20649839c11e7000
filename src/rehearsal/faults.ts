// The faults the API can play, and the queue of those that wait for the next calls.

interface ErrorShape {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const ERRORS = {
  '400': { status: 400, type: 'invalid_request_error', message: 'The request is not valid.' },
  '401': { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  '403': { status: 403, type: 'permission_error', message: 'This key may not use the resource.' },
  '404': { status: 404, type: 'not_found_error', message: 'Not found.' },
  '413': { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' },
  '429': { status: 429, type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
  '500': { status: 500, type: 'api_error', message: 'Internal server error' },
  '529': { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  /** No credit left, as the API words it. */
  credit: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
  },
  'prompt-too-long': {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 1200000 tokens > 1000000 maximum',
  },
  /** A subscription's limit. Claude Code reads the headers only when it logs in with a token, not with a key. */
  'unified-limit': { status: 429, type: 'rate_limit_error', message: 'You have reached your limit.' },
} as const satisfies Record<string, ErrorShape>;

export type ErrorFaultName = keyof typeof ERRORS;

/** An error response instead of an answer. */
export interface ErrorFault {
  readonly fault: ErrorFaultName;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `retry-after`, in seconds. */
  readonly retryAfterS?: number;
  /** When a `unified-limit` ends (epoch ms). Default: five hours from now. */
  readonly resetsAt?: number;
}

/** `cut`: the socket dies in the middle of the answer. `hang`: headers, then silence until released or closed. */
export interface StreamFault {
  readonly fault: 'cut' | 'hang';
}

/** The answer comes, but slowly. Defaults: 1000 ms before it, 100 ms between its pieces. */
export interface SlowFault {
  readonly fault: 'slow';
  readonly delayMs?: number;
  readonly chunkDelayMs?: number;
}

export type Fault = ErrorFault | StreamFault | SlowFault;

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: object;
}

export function isErrorFault(fault: Fault): fault is ErrorFault {
  return fault.fault in ERRORS;
}

/** The whole error response; `nowAt` (epoch ms) dates the default reset of a `unified-limit`. */
export function errorResponse(fault: ErrorFault, nowAt: number): ErrorResponse {
  const shape: ErrorShape = ERRORS[fault.fault];
  const message = fault.message ?? shape.message;
  const limit =
    fault.fault === 'unified-limit' ? unifiedHeaders(fault.resetsAt ?? nowAt + 5 * 3_600_000) : {};
  const retry: Record<string, string> =
    fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) };
  return {
    status: shape.status,
    headers: { ...limit, ...retry, ...fault.headers },
    body: { type: 'error', error: { type: shape.type, message } },
  };
}

function unifiedHeaders(resetsAt: number): Record<string, string> {
  const resetS = Math.floor(resetsAt / 1000);
  const name = 'anthropic-ratelimit-unified';
  return {
    [`${name}-status`]: 'rejected',
    [`${name}-reset`]: String(resetS),
    [`${name}-representative-claim`]: 'five_hour',
    [`${name}-5h-status`]: 'rejected',
    [`${name}-5h-reset`]: String(resetS),
    [`${name}-5h-utilization`]: '1',
    [`${name}-7d-status`]: 'allowed',
    [`${name}-7d-reset`]: String(resetS + 86_400),
    [`${name}-7d-utilization`]: '0.4',
    [`${name}-overage-status`]: 'rejected',
    [`${name}-overage-disabled-reason`]: 'org_level_disabled',
  };
}

/** Faults for the calls to come, first in, first played. Only calls of kind `turn` take one. */
export class FaultQueue {
  #waiting: Fault[] = [];

  /** Plays `fault` on the next `times` (default 1) calls that no earlier fault has taken. */
  enqueue(fault: Fault & { readonly times?: number }): void {
    const { times = 1, ...one } = fault;
    for (let n = 0; n < times; n += 1) this.#waiting.push(one);
  }

  take(): Fault | undefined {
    return this.#waiting.shift();
  }

  clear(): void {
    this.#waiting = [];
  }

  get size(): number {
    return this.#waiting.length;
  }
}
