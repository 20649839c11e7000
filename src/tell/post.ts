// Posts news as a signed webhook: tried again a few times, never redirected.
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../ports/clock.js';
import type { Outcome, Target } from './target.js';

export interface PostOptions {
  /** The same at each try, by which a receiver knows a repetition. */
  readonly id: string;
  readonly body: string;
  readonly clock: Clock;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** The waits before the second, third and fourth try. */
const WAITS_MS = [1_000, 4_000, 16_000];
const ANSWER_LIMIT_MS = 10_000;

/** Never rejects. */
export async function post(
  target: Extract<Target, { kind: 'webhook' }>,
  options: PostOptions,
): Promise<Outcome> {
  const { clock, signal } = options;
  for (let tries = 1; ; tries += 1) {
    const failure = await once(target, options);
    if (failure === undefined) return { kind: 'told', how: `by a webhook, at try ${tries}` };
    const waitMs = WAITS_MS[tries - 1];
    if (!failure.again || waitMs === undefined || signal.aborted) {
      const times = tries === 1 ? '' : ` (tried ${tries} times)`;
      return { kind: 'failed', why: `${failure.why}${times}` };
    }
    await clock.sleepUntil(clock.now() + waitMs, signal);
    if (signal.aborted) return { kind: 'failed', why: `the worker ended; before, ${failure.why}` };
  }
}

/** What went wrong, or undefined when the receiver took it. */
async function once(
  { url, secrets }: Extract<Target, { kind: 'webhook' }>,
  { id, body, clock, signal }: PostOptions,
): Promise<{ why: string; again: boolean } | undefined> {
  // Signed anew at each try: a receiver refuses what is some minutes old.
  const at = new Date(clock.now());
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'inbox-worker',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
      },
      // Who can redirect a post can have it sent anywhere.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    await response.body?.cancel();
    const { status } = response;
    if (response.ok) return undefined;
    if (status >= 300 && status < 400)
      return { why: `it answered with a redirect (${status})`, again: false };
    // What is wrong with the post itself stays wrong.
    return { why: `it answered ${status}`, again: status >= 500 || status === 408 || status === 429 };
  } catch (error) {
    return { why: describe(error), again: true };
  }
}

/** Without the address: its path is often as good as a key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `it did not answer within ${ANSWER_LIMIT_MS / 1000} s`;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  return typeof code === 'string' ? `it could not be reached (${code})` : error.message;
}
