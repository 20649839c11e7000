// Reads a request as a conversation: what was asked, and which tools answered since.
import type { ContentBlock, MessagesRequest, RequestMessage } from './request.js';

/** A tool call the model made and what came of it. */
export interface ToolStep {
  readonly name: string;
  readonly input: unknown;
  /** The text of the tool's result; undefined while none is there. */
  readonly result?: string;
  readonly failed: boolean;
}

/** What people said, oldest first: the user messages without tool results and without Claude Code's own reminders. */
export function prompts(request: MessagesRequest): string[] {
  return request.messages.filter(isPrompt).map(promptText);
}

/** The tool calls since the last prompt, in order. Empty when the prompt is new. */
export function toolSteps(request: MessagesRequest): ToolStep[] {
  const since = request.messages.slice(request.messages.findLastIndex(isPrompt) + 1);
  const blocks = since.flatMap((message) => (typeof message.content === 'string' ? [] : message.content));
  return blocks
    .filter((block) => block.type === 'tool_use')
    .map((use) => {
      const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === use.id);
      return {
        name: use.name ?? '',
        input: use.input,
        ...(result ? { result: textOf(result.content ?? '') } : {}),
        failed: result?.is_error === true,
      };
    });
}

/** The full name of the offered tool that ends in `__suffix` (MCP tools are `mcp__SERVER__TOOL`), if there is one. */
export function toolNamed(request: MessagesRequest, suffix: string): string | undefined {
  return request.tools?.find((tool) => tool.name.endsWith(`__${suffix}`))?.name;
}

/** The text blocks of a content, a line apart. */
export function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content
    .filter((block) => block.type === 'text')
    .map((block) => block.text ?? '')
    .join('\n');
}

function isPrompt(message: RequestMessage): boolean {
  return message.role === 'user' && promptText(message) !== '';
}

function promptText(message: RequestMessage): string {
  if (typeof message.content === 'string') return withoutReminders(message.content);
  // A reminder may ride in the same message as a tool result; neither is somebody's word.
  const words = message.content.filter((block) => block.type === 'text');
  return words
    .map((block) => withoutReminders(block.text ?? ''))
    .filter((text) => text !== '')
    .join('\n');
}

function withoutReminders(text: string): string {
  return text.replace(/^\s*(?:<system-reminder>[\s\S]*?<\/system-reminder>\s*)+/, '').trim();
}
