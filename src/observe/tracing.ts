// Is anybody tracing? The API alone is a dependency: an SDK comes with `--import`, or there are no spans.
import { ProxyTracerProvider, type Tracer, trace } from '@opentelemetry/api';

const NAME = 'mcp-inbox-worker';

/** Undefined where no SDK has been registered: then nothing is listened to, and nothing costs. */
export function tracerIfAny(version: string): Tracer | undefined {
  const provider = trace.getTracerProvider();
  const real =
    provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(NAME, version) : undefined;
  return real && provider.getTracer(NAME, version);
}

/** Has the SDK hand over what it still holds, where it can: spans are sent in batches, and we are about to end. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if ('forceFlush' in sdk && typeof sdk.forceFlush === 'function') await sdk.forceFlush();
}
