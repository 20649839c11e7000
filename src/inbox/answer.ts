// What a tool's result says: JSON, a sentence, an error, or nothing. Nothing here is ever taken for "empty".
import type { ToolResult } from './call.js';
import { isFields } from './fields.js';
import { readToolError, type ToolError } from './tool-error.js';

export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'sentence'; readonly text: string }
  | { readonly kind: 'error'; readonly error: ToolError }
  | { readonly kind: 'nothing' };

/** Reads `structuredContent` and text blocks. JSON may stand in one block, in one block an item, or after a sentence. */
export function readAnswer(result: ToolResult): Answer {
  const answer = contentOf(result);
  if (result.isError) return { kind: 'error', error: errorIn(answer) };
  // Some servers report an error without saying isError.
  if (answer.kind === 'json' && saysError(answer.value)) return { kind: 'error', error: errorIn(answer) };
  return answer;
}

function contentOf(result: ToolResult): Answer {
  const texts = (result.content ?? []).flatMap((block) =>
    isFields(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const { structuredContent } = result;
  if (isFields(structuredContent) && Object.keys(structuredContent).length > 0) {
    // FastMCP wraps a text result so: {"result": "No new messages."}.
    const { result: wrapped, ...others } = structuredContent;
    if (typeof wrapped !== 'string' || Object.keys(others).length > 0)
      return { kind: 'json', value: structuredContent };
    return textAnswer([wrapped]);
  }
  return textAnswer(texts);
}

function textAnswer(texts: readonly string[]): Answer {
  if (texts.every((text) => text.trim() === '')) return { kind: 'nothing' };
  const whole = parseJson(texts.join('\n'));
  if (whole !== undefined) return { kind: 'json', value: whole };
  if (texts.length > 1) {
    const items = texts.map(parseJson);
    if (items.every((item) => item !== undefined)) return { kind: 'json', value: items.flat() };
  }
  return { kind: 'sentence', text: texts.join('\n').trim() };
}

/** An object or a list; a bare number or word counts as a sentence. */
function parseJson(text: string): unknown {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(trimmed)?.[1];
  return parseContainer(fenced ?? trimmed) ?? parseContainer(afterSentence(trimmed));
}

function parseContainer(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** `You have 2 messages:\n[…]`: what begins on a line of its own and ends with the text. */
function afterSentence(text: string): string {
  const start = /\n\s*(?=[[{])/.exec(text);
  return start ? text.slice(start.index).trim() : '';
}

function saysError(value: unknown): boolean {
  if (!isFields(value)) return false;
  return Boolean(value.error) || value.ok === false || value.success === false;
}

function errorIn(answer: Answer): ToolError {
  if (answer.kind === 'json') return readToolError(answer.value);
  return readToolError(answer.kind === 'sentence' ? answer.text : '');
}
