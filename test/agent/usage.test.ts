import { describe, expect, it } from 'vitest';
import { type Frame, parseFrame, type ResultFrame } from '../../src/agent/frames.js';
import { CallCounter, Meter } from '../../src/agent/usage.js';

function result(costUsd: number, tokens: number, since?: object): ResultFrame {
  const model = { inputTokens: tokens, cacheReadInputTokens: 0, outputTokens: tokens / 10, costUSD: costUsd };
  const line = {
    type: 'result',
    total_cost_usd: costUsd,
    modelUsage: { one: model },
    ...(since && { model_usage_since_last_result: since }),
  };
  const parsed = parseFrame(JSON.stringify(line));
  if (parsed.kind !== 'result') throw new Error('no result');
  return parsed.frame;
}

const NONE = { cacheReadTokens: 0, cacheWriteTokens: 0 };
const frame = (value: object): Frame => parseFrame(JSON.stringify(value));

describe('running totals', () => {
  it('become differences', () => {
    const meter = new Meter();
    expect(meter.take(result(1, 100))).toEqual({ costUsd: 1, inputTokens: 100, outputTokens: 10, ...NONE });
    expect(meter.take(result(3, 150))).toEqual({ costUsd: 2, inputTokens: 50, outputTokens: 5, ...NONE });
    expect(meter.take(result(3, 150))).toEqual({ costUsd: 0, inputTokens: 0, outputTokens: 0, ...NONE });
  });

  it('begin anew after a reset', () => {
    const meter = new Meter();
    meter.take(result(3, 150));
    expect(meter.take(result(0, 0))).toEqual({ costUsd: 0, inputTokens: 0, outputTokens: 0, ...NONE });
    expect(meter.take(result(0.5, 40))).toEqual({ costUsd: 0.5, inputTokens: 40, outputTokens: 4, ...NONE });
  });

  it('are passed over where the result tells the difference itself: a resumed session starts from a saved total', () => {
    const meter = new Meter();
    const since = { one: { inputTokens: 7, cacheCreationInputTokens: 3, outputTokens: 1, costUSD: 0.25 } };
    expect(meter.take(result(169, 9_000, since))).toEqual({
      costUsd: 0.25,
      inputTokens: 10,
      outputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 3,
    });
    expect(meter.take(result(169, 9_000, {}))).toMatchObject({ costUsd: 0, inputTokens: 0, outputTokens: 0 });
  });
});

describe('model calls', () => {
  const assistant = (id: string, model: string, output: number): Frame =>
    frame({ type: 'assistant', message: { id, model, usage: { input_tokens: 5, output_tokens: output } } });

  it('are counted by message id, those of Claude Code itself not', () => {
    const counter = new CallCounter();
    counter.take(assistant('m1', 'claude', 1));
    counter.take(assistant('m1', 'claude', 1));
    counter.take(assistant('m2', 'claude', 1));
    counter.take(assistant('m3', '<synthetic>', 1));
    expect(counter.usage()).toEqual({ costUsd: 0, inputTokens: 10, outputTokens: 2, modelCalls: 2, ...NONE });
    expect(counter.model).toBe('claude');
    const totals = { costUsd: 1, inputTokens: 20, outputTokens: 30, ...NONE };
    expect(counter.usage(totals)).toEqual({ ...totals, modelCalls: 2 });
  });

  it('show their tokens as they stream', () => {
    const counter = new CallCounter();
    const usage = { input_tokens: 5, output_tokens: 1 };
    counter.take(
      frame({ type: 'stream_event', event: { type: 'message_start', message: { id: 'm1', usage } } }),
    );
    expect(counter.outputTokens).toBe(1);
    const piece = (delta: object): Frame =>
      frame({ type: 'stream_event', event: { type: 'content_block_delta', delta } });
    counter.take(piece({ type: 'text_delta', text: 'x'.repeat(200) }));
    counter.take(piece({ type: 'input_json_delta', partial_json: 'x'.repeat(200) }));
    // What is not counted yet is estimated, and no bill is made of it.
    expect(counter.outputTokens).toBe(100);
    expect(counter.usage()).toMatchObject({ outputTokens: 1 });
    counter.take(
      frame({ type: 'stream_event', event: { type: 'message_delta', usage: { output_tokens: 71 } } }),
    );
    counter.take(assistant('m1', 'claude', 1));
    expect(counter.outputTokens).toBe(71);
    expect(counter.usage()).toMatchObject({ modelCalls: 1, inputTokens: 5 });
    const second = { id: 'm2', model: 'claude-x', usage: { ...usage, cache_read_input_tokens: 20 } };
    counter.take(frame({ type: 'stream_event', event: { type: 'message_start', message: second } }));
    counter.take(piece({ type: 'text_delta', text: 'x'.repeat(40) }));
    expect(counter.outputTokens).toBe(81);
    expect(counter.usage()).toMatchObject({ modelCalls: 2, inputTokens: 30, cacheReadTokens: 20 });
    expect(counter.model).toBe('claude-x');
  });
});
