// The modern way to be told of changes: one `subscriptions/listen` that never ends, opened again at our own pace.
import {
  type Client,
  type McpSubscription,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type SubscriptionFilter,
} from '@modelcontextprotocol/client';
import { FIRST_WAIT_MS, isRefusal, MOST_WAIT_MS, STEADY_MS } from './standing-stream.js';

export interface ListenOptions {
  /** Resources whose changes are asked for one by one. */
  readonly uris: readonly string[];
  readonly limitMs: number;
  /** Ends the listening. */
  readonly signal: AbortSignal;
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** It was open, ended, and is open again, or refused: what was announced in between nobody heard. */
  onGap(): void;
  /** The server announces nothing. */
  onNothing(): void;
}

/** Resolves when `signal` aborts, or when the server has nothing to announce (any more). Never rejects. */
export async function keepListening(client: Client, options: ListenOptions): Promise<void> {
  const { uris, limitMs, signal, now, sleep } = options;
  const filter = {
    ...(client.getServerCapabilities()?.resources?.listChanged === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
  if (Object.keys(filter).length === 0) return options.onNothing();
  let waitMs = FIRST_WAIT_MS;
  for (let opened = false; ; ) {
    const stream = await listen(client, filter, { timeout: limitMs, signal });
    if (signal.aborted) return;
    if (opened && stream !== 'later') options.onGap();
    if (stream === 'refused') {
      // After it was open, it may be another server: the look that the gap causes will find out.
      if (!opened) options.onNothing();
      return;
    }
    if (stream !== 'later') {
      opened = true;
      const openedAt = now();
      await stream.closed;
      if (now() - openedAt >= STEADY_MS) waitMs = FIRST_WAIT_MS;
    }
    if (signal.aborted) return;
    await sleep(waitMs, signal);
    if (signal.aborted) return;
    waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
  }
}

async function listen(
  client: Client,
  filter: SubscriptionFilter,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<McpSubscription | 'refused' | 'later'> {
  try {
    const stream = await client.listen(filter, options);
    if (!hearsNothing(stream)) return stream;
    await stream.close();
    return 'refused';
  } catch (error) {
    return isRefused(error) ? 'refused' : 'later';
  }
}

const hearsNothing = ({ honoredFilter }: McpSubscription): boolean =>
  honoredFilter.resourcesListChanged !== true && (honoredFilter.resourceSubscriptions ?? []).length === 0;

/** An internal error is how a server says that it has too many listeners: later, then. */
const INTERNAL_ERROR = -32_603;

function isRefused(error: unknown): boolean {
  if (error instanceof SdkHttpError) return isRefusal(error);
  // The program has ended: the look that the gap causes starts it anew.
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  return error instanceof ProtocolError && error.code !== INTERNAL_ERROR;
}
