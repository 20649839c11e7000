// An OpenTelemetry SDK for a test, loaded with `--import`: every finished span as a line of JSON in OTEL_TEST_FILE.
import { appendFileSync } from 'node:fs';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const parent = span.parentSpanContext?.spanId;
      const links = span.links.map((link) => link.context.spanId);
      const { name, attributes, status } = span;
      const line = JSON.stringify({ name, traceId, spanId, parent, links, attributes, status });
      appendFileSync(process.env.OTEL_TEST_FILE, `${line}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
// In batches, as in production: what is written at the end shows that the worker had them flushed.
const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
