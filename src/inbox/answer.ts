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
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (filled.length === 0) return { kind: 'nothing' };
  const value = filled.length === 1 ? oneText(filled[0] ?? '') : manyTexts(filled);
  return value === undefined ? { kind: 'sentence', text: filled.join('\n') } : { kind: 'json', value };
}

function oneText(text: string): unknown {
  const fenced = /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(text)?.[1];
  return parseContainer(fenced ?? text) ?? allOf(text.split('\n')) ?? parseContainer(afterSentence(text));
}

/** One text in several blocks, or one block an item; a sentence may stand before the items. */
function manyTexts(texts: readonly string[]): unknown {
  const [first = '', ...others] = texts;
  return (
    parseContainer(texts.join('\n')) ?? allOf(texts) ?? (startsAsJson(first) ? undefined : allOf(others))
  );
}

/** The items of all texts, where every single one is JSON: none may be dropped. */
function allOf(texts: readonly string[]): unknown {
  const values = texts.filter((text) => text.trim() !== '').map(parseContainer);
  return values.length > 0 && values.every((value) => value !== undefined) ? values.flat() : undefined;
}

const startsAsJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** An object or a list; a bare number or word counts as a sentence. */
function parseContainer(text: string): unknown {
  if (!startsAsJson(text)) return undefined;
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
  return start && !startsAsJson(text) ? text.slice(start.index).trim() : '';
}

function saysError(value: unknown): boolean {
  if (!isFields(value)) return false;
  return Boolean(value.error) || value.ok === false || value.success === false;
}

function errorIn(answer: Answer): ToolError {
  if (answer.kind === 'json') return readToolError(answer.value);
  return readToolError(answer.kind === 'sentence' ? answer.text : '');
}
