// What a tool answers: JSON in one text block, or a sentence that Claude can act on.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/**
 * There is no `structuredContent` beside the text: Claude Code shows the model only one of the two, and which one
 * depends on its version. With the text alone every version shows the same words.
 */
export function answered(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

export function refused(sentence: string): CallToolResult {
  return { content: [{ type: 'text', text: sentence }], isError: true };
}

/** ISO 8601 in UTC; undefined (and so left out of the JSON) for what is no instant. */
export function isoTime(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
