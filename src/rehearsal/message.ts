// Turns a script's answer into the API's message object, with ids and a plausible usage.
import { randomBytes } from 'node:crypto';
import type { Answer, Usage } from './answer.js';

export type MessageBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

export interface ApiMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly MessageBlock[];
  readonly stop_reason: 'end_turn' | 'tool_use';
  readonly stop_sequence: null;
  readonly usage: Usage;
}

/** `requestBytes` is the size of the request body, from which the input tokens are estimated. */
export function apiMessage(answer: Answer, model: string, requestBytes: number): ApiMessage {
  const content = answer.content.map((block): MessageBlock => {
    return block.type === 'text' ? block : { ...block, id: apiId('toolu') };
  });
  return {
    id: apiId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: estimateTokens(requestBytes),
      output_tokens: estimateTokens(JSON.stringify(content).length),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      ...answer.usage,
    },
  };
}

/** About four bytes to a token; never 0, so that every call has a price. */
export function estimateTokens(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4));
}

/** A fresh id in the API's style, such as `msg_01a2…`. */
export function apiId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
