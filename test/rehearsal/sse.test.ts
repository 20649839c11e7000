import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerBlock } from '../../src/rehearsal/answer.js';
import { apiMessage } from '../../src/rehearsal/message.js';
import { sseFrame, streamEvents } from '../../src/rehearsal/sse.js';
import { parseSse } from './client.js';

const block: fc.Arbitrary<AnswerBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string({ unit: 'grapheme', maxLength: 400 }) }),
  fc.record({
    type: fc.constant('tool_use' as const),
    name: fc.constant('mcp__agentdm__send_dm'),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
);

/** What a client puts together from the events, block by block. */
function assemble(wire: string): unknown[] {
  const blocks: { type: string; text: string; json: string; name?: unknown; open: boolean }[] = [];
  for (const { name, data } of parseSse(wire)) {
    expect(data.type).toBe(name);
    const current = blocks[Number(data.index)];
    if (name === 'content_block_start') {
      expect(data.index).toBe(blocks.length);
      const start = data.content_block as { type: string; name?: string };
      blocks.push({ type: start.type, text: '', json: '', name: start.name, open: true });
    } else if (name === 'content_block_delta') {
      expect(current?.open).toBe(true);
      const delta = data.delta as { text?: string; partial_json?: string };
      // Half a surrogate pair in a piece.
      expect(delta.text ?? delta.partial_json).not.toMatch(/\p{Surrogate}/u);
      if (current) current.text += delta.text ?? '';
      if (current) current.json += delta.partial_json ?? '';
    } else if (name === 'content_block_stop' && current) current.open = false;
  }
  expect(blocks.every(({ open }) => !open)).toBe(true);
  return blocks.map(({ type, text, json, name }) =>
    type === 'text' ? { type, text } : { type, name, input: JSON.parse(json) },
  );
}

describe('streamEvents', () => {
  it('says any answer so that the same blocks come out, through UTF-8', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 3 }), (content) => {
        const wire = streamEvents(apiMessage({ content }, 'claude-sonnet-5', 100))
          .map(sseFrame)
          .join('');
        // Compared as JSON, because that is what the wire can carry (-0, for one, it cannot).
        expect(assemble(Buffer.from(wire).toString('utf8'))).toEqual(JSON.parse(JSON.stringify(content)));
      }),
    );
  });

  it('frames them by message_start … message_delta, message_stop, with the reason and the usage', () => {
    const answer = {
      content: [{ type: 'tool_use' as const, name: 'x', input: {} }],
      usage: { output_tokens: 7 },
    };
    const events = streamEvents(apiMessage(answer, 'claude-sonnet-5', 4000));
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({
      message: { role: 'assistant', model: 'claude-sonnet-5', content: [], stop_reason: null },
    });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 1000, output_tokens: 7 },
    });
  });
});
