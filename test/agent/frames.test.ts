import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrame } from '../../src/agent/frames.js';

describe('a line of Claude Code', () => {
  it.each(['', 'words', '7', 'null', '[]', '{}', '{"type":7}', '{"type":"result"'])(
    'is noise: %j',
    (line) => {
      expect(parseFrame(line)).toEqual({ kind: 'noise' });
    },
  );

  it('of an unknown type is named', () => {
    expect(parseFrame('{"type":"from_the_future","x":1}')).toEqual({
      kind: 'unknown',
      type: 'from_the_future',
    });
  });

  it('is a sign of life where we need no more of it', () => {
    expect(parseFrame('{"type":"system","subtype":"status"}').kind).toBe('plain');
    expect(parseFrame('{"type":"command_lifecycle"}').kind).toBe('plain');
    expect(parseFrame('{"type":"keep_alive"}').kind).toBe('keep-alive');
  });

  it('is read field by field: one of the wrong type counts as absent', () => {
    const line = {
      type: 'result',
      subtype: 'success',
      is_error: 'no',
      result: 7,
      session_id: 's',
      api_error_status: null,
    };
    const parsed = parseFrame(JSON.stringify(line));
    expect(parsed.kind === 'result' && parsed.frame).toMatchObject({
      subtype: 'success',
      session_id: 's',
      is_error: undefined,
      result: undefined,
      api_error_status: undefined,
    });
  });

  it('with blocks of every shape is still an assistant frame', () => {
    const content = [{ type: 'tool_use', name: 'x' }, 'odd', null, { type: 7 }];
    const parsed = parseFrame(JSON.stringify({ type: 'assistant', message: { id: 'm', content } }));
    expect(parsed.kind === 'assistant' && parsed.frame.message.content).toHaveLength(4);
  });

  it('never throws', () => {
    const types = [
      'system',
      'assistant',
      'user',
      'stream_event',
      'result',
      'rate_limit_event',
      'control_response',
    ];
    const frame = fc.record({
      type: fc.constantFrom(...types),
      subtype: fc.anything(),
      message: fc.anything(),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          frame.map((value) => JSON.stringify(value)),
        ),
        (line) => {
          expect(parseFrame(line).kind).toEqual(expect.any(String));
        },
      ),
    );
  });
});
