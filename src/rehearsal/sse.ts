// Says a message as the API streams it: the whole sequence of server-sent events.
import type { ApiMessage, MessageBlock } from './message.js';

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

// Enough pieces that a reader meets the borders, few enough that a long answer is out at once.
const MOST_PIECES = 20;
const SMALLEST_PIECE = 16;

/** All events of one streamed message, in the API's order, `ping` included. */
export function streamEvents(message: ApiMessage): StreamEvent[] {
  const { output_tokens, ...input } = message.usage;
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...input, output_tokens: Math.min(1, output_tokens) },
      },
    },
    { type: 'ping' },
    ...message.content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: message.stop_sequence },
      usage: message.usage,
    },
    { type: 'message_stop' },
  ];
}

/** One event as bytes on the wire. */
export function sseFrame(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function blockEvents(block: MessageBlock, index: number): StreamEvent[] {
  const start = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
  const whole = block.type === 'text' ? block.text : JSON.stringify(block.input ?? {});
  return [
    { type: 'content_block_start', index, content_block: start },
    ...pieces(whole).map((piece) => ({
      type: 'content_block_delta',
      index,
      delta:
        block.type === 'text'
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece },
    })),
    { type: 'content_block_stop', index },
  ];
}

function pieces(text: string): string[] {
  // By code points: the API never puts half a character into a piece, and who shows pieces relies on it.
  const points = Array.from(text);
  const size = Math.max(SMALLEST_PIECE, Math.ceil(points.length / MOST_PIECES));
  const cut: string[] = [];
  for (let at = 0; at < points.length; at += size) cut.push(points.slice(at, at + size).join(''));
  return cut;
}
