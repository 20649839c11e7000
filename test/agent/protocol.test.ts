import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/agent/frames.js';
import { ControlRefused, Protocol, StreamEnded } from '../../src/agent/protocol.js';
import { DeadlineError } from '../../src/lib/deadline.js';

interface Line {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string };
  readonly response?: { readonly request_id: string };
}

/** A protocol whose other end is the test. */
function wire(write?: () => Promise<void>) {
  const lines: Line[] = [];
  const oddities: string[] = [];
  const protocol = new Protocol({
    write: (line) => {
      expect(line.endsWith('\n')).toBe(true);
      lines.push(JSON.parse(line));
      return write?.() ?? Promise.resolve();
    },
    onOddity: (what) => oddities.push(what),
  });
  const send = (...frames: object[]): void => {
    for (const frame of frames) protocol.push(Buffer.from(`${JSON.stringify(frame)}\n`));
  };
  const answer = (response: object): void => {
    send({ type: 'control_response', response: { request_id: lines.at(-1)?.request_id, ...response } });
  };
  return { protocol, lines, oddities, send, answer };
}

const init = { type: 'system', subtype: 'init' };
const resultOf = (name: string | undefined, text: string): object => ({
  type: 'result',
  subtype: 'success',
  result: text,
  ...(name !== undefined && { user_message_uuid: name }),
});

describe('control requests', () => {
  it('are answered by their id', async () => {
    const { protocol, send, answer } = wire();
    const asked = protocol.control({ subtype: 'mcp_status' }, 5_000);
    send({ type: 'control_response', response: { request_id: 'nobody', subtype: 'success' } });
    answer({ subtype: 'success', response: { fine: true } });
    expect(await asked).toEqual({ fine: true });
    expect(protocol.tally.count('late answer')).toBe(1);
  });

  it('can be refused, go unanswered, or end with the stream', async () => {
    const { protocol, answer } = wire();
    const refused = protocol.control({ subtype: 'x' }, 5_000);
    answer({ subtype: 'error', error: 'unsupported' });
    await expect(refused).rejects.toThrow(ControlRefused);
    await expect(protocol.control({ subtype: 'x' }, 10)).rejects.toThrow(DeadlineError);
    const cutOff = protocol.control({ subtype: 'x' }, 5_000);
    protocol.end('it died');
    await expect(cutOff).rejects.toThrow(new StreamEnded('it died'));
    await expect(protocol.control({ subtype: 'x' }, 5_000)).rejects.toThrow('it died');
  });

  it('fail when they cannot be written', async () => {
    const { protocol } = wire(() => Promise.reject(new Error('EPIPE')));
    await expect(protocol.control({ subtype: 'x' }, 5_000)).rejects.toThrow('EPIPE');
  });

  it('of the other side are declined, not left open', () => {
    const { send, lines } = wire();
    send({ type: 'control_request', request_id: 'r1', request: { subtype: 'can_use_tool' } });
    expect(lines).toEqual([
      { type: 'control_response', response: expect.objectContaining({ subtype: 'error', request_id: 'r1' }) },
    ]);
  });
});

describe('a turn', () => {
  it('ends on the result that names it, and not on one that names another', async () => {
    const { protocol, send, oddities } = wire();
    const seen: string[] = [];
    const said = protocol.say('mine', 'hello', (frame: Frame) => seen.push(frame.kind));
    send(init, resultOf('other', 'STALE'), resultOf('mine', 'right'));
    expect(await said.result).toMatchObject({ result: 'right' });
    expect(seen).toEqual(['init', 'result']);
    expect(oddities).toEqual(['Ignored a result of Claude Code that belongs to no turn of ours.']);
  });

  it('ends on a result without a name only after an init of its own', async () => {
    const { protocol, send } = wire();
    const said = protocol.say('mine', 'hello');
    send(resultOf(undefined, 'STALE'), init, resultOf(undefined, 'right'));
    expect(await said.result).toMatchObject({ result: 'right' });
  });

  it('takes any nameless result once it was interrupted', async () => {
    const { protocol, send } = wire();
    const said = protocol.say('mine', 'hello');
    said.acceptUnnamed();
    send(resultOf('other', 'STALE'), resultOf(undefined, 'aborted'));
    expect(await said.result).toMatchObject({ result: 'aborted' });
  });

  it('is one of several messages that were answered together', async () => {
    const { protocol, send } = wire();
    const said = protocol.say('mine', 'hello');
    send({ ...resultOf('last', 'both'), user_message_uuids: ['mine', 'last'] });
    expect(await said.result).toMatchObject({ result: 'both' });
  });

  it('fails at once when the stream ends, even on a last line without its end', async () => {
    const { protocol } = wire();
    const said = protocol.say('mine', 'hello');
    protocol.push(Buffer.from('{"type":"result","user_message_uuid":"mine","result":"just'));
    protocol.end('it died');
    await expect(said.result).rejects.toThrow('it died');
    await expect(protocol.say('next', 'hello').result).rejects.toThrow('it died');
    const late = wire();
    const lucky = late.protocol.say('mine', 'hello');
    late.protocol.push(Buffer.from(JSON.stringify(resultOf('mine', 'just in time'))));
    late.protocol.end('it died');
    expect(await lucky.result).toMatchObject({ result: 'just in time' });
  });

  it('fails when it cannot be written, and leaves room for the next', async () => {
    const { protocol } = wire(() => Promise.reject(new Error('EPIPE')));
    await expect(protocol.say('a', 'hello').result).rejects.toThrow('EPIPE');
    await expect(protocol.say('b', 'hello').result).rejects.toThrow('EPIPE');
  });

  it('is the only one in flight', () => {
    const { protocol } = wire();
    protocol.say('a', 'hello');
    expect(() => protocol.say('b', 'hello')).toThrow('in flight');
  });

  it('does not see what comes between turns', async () => {
    const { protocol, send } = wire();
    const seen: Frame[] = [];
    send(init, resultOf('nobody', 'unasked'));
    const said = protocol.say('mine', 'hello', (frame) => seen.push(frame));
    send(init, resultOf('mine', 'right'));
    await said.result;
    send(init);
    expect(seen).toHaveLength(2);
  });
});

describe('noise', () => {
  it('is counted and told rarely', () => {
    const { protocol, oddities } = wire();
    for (let n = 0; n < 12; n += 1) protocol.push(Buffer.from('noise\n\n   \r\n'));
    expect(protocol.tally.count('noise')).toBe(12);
    expect(oddities).toEqual([
      'Claude Code printed a line that is no frame.',
      'Claude Code printed a line that is no frame (10 times by now).',
    ]);
  });
});
