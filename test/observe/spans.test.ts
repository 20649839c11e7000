// Spans of a whole worker over ports in memory: what hangs on what, what is said, and what never is.
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/domain/turn.js';
import { SPANS } from '../../src/observe/span-attributes.js';
import { spanObserver } from '../../src/observe/spans.js';
import { flushSpans, tracerIfAny } from '../../src/observe/tracing.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';
import { began, ended, looked, sendFailed, sent } from './events.js';

function recorder(now: () => number, secrets: readonly string[] = []) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const observer = spanObserver({
    tracer: provider.getTracer('test'),
    clock: { now },
    agent: 'agentdm',
    model: 'claude-asked-for',
    secrets,
  });
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    observer,
    exporter,
    spans,
    named: (name: string): ReadableSpan[] => spans().filter((span) => span.name === name),
  };
}

/** A worker whose events make spans. */
async function traced(options = {}) {
  const lab = new WorkerLab(options);
  const told = recorder(() => lab.clock.now());
  const keep = lab.events.push.bind(lab.events);
  lab.events.push = (...events: WorkerEvent[]) => {
    for (const event of events) told.observer.on(event);
    return keep(...events);
  };
  const { end } = await lab.start();
  return { lab, end, ...told };
}

const only = (spans: readonly ReadableSpan[]): ReadableSpan => {
  expect(spans).toHaveLength(1);
  return spans[0] as ReadableSpan;
};
const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const seconds = ([s, ns]: readonly [number, number]) => s + ns / 1e9;

afterEach(() => {
  trace.disable();
  context.disable();
});

describe('one message', () => {
  it('is one trace: wake, look, turn, reply, each the child of the one before', async () => {
    const { lab, end, named, spans, exporter } = await traced();
    exporter.reset();
    lab.agent.answer = async (request, signal, agent) => {
      request.onProgress?.({ sessionId: 's1', tool: 'send_dm', outputTokens: 3 });
      request.onProgress?.({ sessionId: 's1', tool: 'send_dm', outputTokens: 9 });
      await lab.clock.sleepUntil(lab.clock.now() + 2_000, signal);
      const usage = { ...NO_USAGE, modelCalls: 2, costUsd: 0.25, inputTokens: 900, outputTokens: 40 };
      const said = await says('a secret answer')(request, signal, agent);
      return { ...said, model: 'claude-that-answered', usage: { ...usage, cacheReadTokens: 700 } };
    };
    lab.upstream.arrive('@alice', 'a secret question');
    lab.worker.wake('webhook');
    await lab.clock.until(() => lab.sentTexts().length === 1, 'the answer');
    await lab.clock.settle();

    const [wake, look, turn, reply] = ['inbox.wake', 'inbox.look', 'inbox.turn', 'inbox.reply'].map((name) =>
      only(named(name)),
    ) as [ReadableSpan, ReadableSpan, ReadableSpan, ReadableSpan];
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(wake.parentSpanContext).toBeUndefined();
    expect([parentOf(look), parentOf(turn), parentOf(reply)]).toEqual([wake, look, turn].map(idOf));
    expect(look.attributes).toEqual({
      'inbox.look.woken_by': ['webhook'],
      'inbox.look.outcome': 'looked',
      'inbox.look.fresh': 1,
      'inbox.look.known': 0,
      'inbox.look.missed_wake': false,
    });
    expect(turn.attributes).toMatchObject({
      'inbox.conversation': '@alice',
      'inbox.messages': 1,
      'inbox.attempt': 1,
      'inbox.turn.outcome': 'completed',
      'inbox.turn.verdict': 'answered',
      'inbox.turn.model_calls': 2,
      'inbox.turn.cost_usd': 0.25,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'agentdm',
      'gen_ai.request.model': 'claude-asked-for',
      'gen_ai.response.model': 'claude-that-answered',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_read.input_tokens': 700,
    });
    expect(turn.events.map(({ name, attributes }) => [name, attributes?.['gen_ai.tool.name']])).toEqual([
      ['inbox.tool', 'send_dm'],
    ]);
    expect(seconds(turn.duration)).toBe(2);
    expect(reply.attributes).toMatchObject({
      'inbox.reply.to': '@alice',
      'inbox.reply.kind': 'reply',
      'inbox.reply.state': 'sent',
    });
    expect(reply.attributes['inbox.claim.id']).toBe(turn.attributes['inbox.claim.id']);
    expect([look.kind, turn.kind, reply.kind]).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL, SpanKind.CLIENT]);
    expect(
      JSON.stringify(spans().map(({ attributes, events, name }) => [attributes, events, name])),
    ).not.toMatch(/secret (?:answer|question)/);
    await lab.drain(end);
  });

  it('says no attribute that the page does not list', async () => {
    const { lab, end, spans } = await traced({ maxAttempts: 1 });
    lab.upstream.lookFaults.push({ kind: 'down', message: 'refused' });
    lab.upstream.sendFaults.push({ kind: 'later', message: 'busy', until: undefined });
    lab.upstream.arrive('@alice', 'x');
    lab.worker.wake('manual');
    await lab.clock.until(() => lab.sentTexts().length === 1, 'the answer');
    lab.agent.answer = async (_request, _signal, agent) => ({
      kind: 'failed',
      failure: 'overloaded',
      message: 'too much',
      sessionId: agent.facts.sessionId,
      usage: NO_USAGE,
      promptKept: false,
    });
    lab.upstream.arrive('@bob', 'x');
    lab.worker.wake('manual');
    await lab.clock.until(() => lab.of('turn-ended').length === 2, 'the failure');
    await lab.drain(end);
    expect(new Set(spans().map(({ name }) => name))).toEqual(new Set(Object.keys(SPANS)));
    for (const { name, attributes } of spans()) {
      const listed = Object.keys(SPANS[name as keyof typeof SPANS].attributes);
      expect(
        Object.keys(attributes).filter((key) => !listed.includes(key)),
        name,
      ).toEqual([]);
    }
  });
});

describe('links', () => {
  it('name every wake that a look took, and every look that a turn answers', async () => {
    let now = 1_000;
    const { observer, named } = recorder(() => now);
    const tell = (...events: WorkerEvent[]): void => {
      for (const event of events) observer.on(event);
    };
    const look = (at: number): void => {
      now = at;
      tell({ type: 'look-began', wokenBy: ['webhook'] });
      now = at + 50;
      tell(looked({ fresh: 1 }));
    };
    tell(
      { type: 'woken', kind: 'webhook' },
      { type: 'woken', kind: 'stream' },
      { type: 'woken', kind: 'manual' },
    );
    look(1_000);
    look(2_000);
    look(3_000);
    tell(began({ messages: 3, spooledAt: [1_020, 3_010, 3_020] }), ended());
    const wakes = named('inbox.wake');
    const looks = named('inbox.look');
    expect(parentOf(looks[0] as ReadableSpan)).toBe(idOf(wakes[0] as ReadableSpan));
    expect(looks[0]?.links.map(({ context }) => context.spanId)).toEqual(wakes.slice(1).map(idOf));
    expect(looks[1]?.parentSpanContext).toBeUndefined();
    const turn = only(named('inbox.turn'));
    expect(parentOf(turn)).toBe(idOf(looks[0] as ReadableSpan));
    expect(turn.links.map(({ context }) => context.spanId)).toEqual([idOf(looks[2] as ReadableSpan)]);
  });

  it('of a turn for several conversations lead to the look of each, and every reply to the turn', () => {
    const { observer, named } = recorder(() => 5_000);
    const other = { claimId: 'claim-2', conversation: '@bob' };
    for (const event of [
      began({ spooledAt: [10] }),
      began({ ...other, spooledAt: [20] }),
      ended(),
      ended({ ...other, verdict: 'retry', usage: NO_USAGE, ending: 'completed' }),
      sent({ part: 0 }),
      sent({ claimId: 'claim-2', to: '@bob' }),
      sent({ claimId: 'of an earlier run' }),
      sent({ claimId: undefined, kind: 'notice' }),
    ])
      observer.on(event);
    const turn = only(named('inbox.turn'));
    // What the first cost is not written over by the second, which cost nothing.
    expect(turn.attributes).toMatchObject({ 'inbox.conversations': 2, 'inbox.turn.model_calls': 1 });
    expect(named('inbox.reply').map(parentOf)).toEqual([idOf(turn), idOf(turn), undefined, undefined]);
  });

  it('begin the trace where the mail did: at the span of whoever called', () => {
    const manager = new AsyncLocalStorageContextManager().enable();
    context.setGlobalContextManager(manager);
    const { observer, named } = recorder(() => 1);
    const caller = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
    context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => {
      observer.on({ type: 'woken', kind: 'webhook' });
      // Only the wake belongs to the caller; who else calls by chance in it does not.
      observer.on(sent({ claimId: undefined }));
    });
    expect(only(named('inbox.wake')).parentSpanContext).toMatchObject({ spanId: caller.spanId });
    expect(only(named('inbox.reply')).parentSpanContext).toBeUndefined();
  });
});

describe('what went wrong', () => {
  it('is an error with a type, and a sentence without secrets', () => {
    const secret = 'key-0123456789';
    const { observer, named } = recorder(() => 1_000, [secret]);
    observer.on(began({ conversation: `@${secret}` }));
    observer.on(
      ended({ ending: 'failed', reason: 'overloaded', verdict: 'retry', outcome: `no ${secret}\u001b[2J` }),
    );
    observer.on(sendFailed({ text: `Bearer ${secret} refused`, to: `@${secret}` }));
    const turn = only(named('inbox.turn'));
    expect(turn.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no [redacted] [2J' });
    expect(turn.attributes['error.type']).toBe('overloaded');
    const reply = only(named('inbox.reply'));
    expect(reply.status.code).toBe(SpanStatusCode.ERROR);
    expect(JSON.stringify([turn.attributes, reply.attributes, reply.status])).not.toContain(secret);
  });

  it('ends what was open when the worker does, and an interruption of ours is no error', () => {
    const { observer, named } = recorder(() => 1_000);
    observer.on({ type: 'look-began', wokenBy: ['timer'] });
    observer.on(began());
    observer.on(began({ turnId: 'turn-2' }));
    observer.on(ended({ turnId: 'turn-2', ending: 'interrupted', verdict: 'retry' }));
    observer.on({ type: 'stopped', text: 'ended by force' });
    expect(named('inbox.look')).toHaveLength(1);
    expect(named('inbox.turn').map(({ status }) => status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
    ]);
  });

  it('keeps what it remembers bounded', () => {
    const { observer, exporter, named } = recorder(() => 1_000);
    for (let n = 0; n < 2_000; n += 1) {
      observer.on(began({ claimId: `c${n}`, turnId: `t${n}` }));
      observer.on(ended({ claimId: `c${n}`, turnId: `t${n}` }));
    }
    exporter.reset();
    observer.on(sent({ claimId: 'c0' }));
    observer.on(sent({ claimId: 'c1999' }));
    expect(named('inbox.reply').map(({ parentSpanContext }) => parentSpanContext !== undefined)).toEqual([
      false,
      true,
    ]);
  });
});

describe('whether anybody traces', () => {
  it('is known: without an SDK there is no tracer, with one there is', async () => {
    expect(tracerIfAny('1')).toBeUndefined();
    await flushSpans();
    const exporter = new InMemorySpanExporter();
    let flushed = 0;
    const processor = new SimpleSpanProcessor(exporter);
    const flush = processor.forceFlush.bind(processor);
    processor.forceFlush = async () => {
      flushed += 1;
      return flush();
    };
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
    tracerIfAny('1')?.startSpan('x').end();
    expect(exporter.getFinishedSpans().map(({ instrumentationScope }) => instrumentationScope)).toEqual([
      expect.objectContaining({ name: 'mcp-inbox-worker', version: '1' }),
    ]);
    await flushSpans();
    expect(flushed).toBe(1);
  });
});
