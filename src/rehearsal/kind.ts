// Tells a turn of the agent from the calls Claude Code makes for itself, and answers the latter.

import type { Answer } from './answer.js';
import { textOf } from './conversation.js';
import { isMessagesRequest, type MessagesRequest } from './request.js';

/**
 * `turn`: a step of the agent's work, answered by the script. `side`: Claude Code's own model call (a title, a
 * compaction, a probe). `count`: count_tokens. `probe`: GET or HEAD of the root. `unknown`: anything else.
 */
export type CallKind = 'turn' | 'side' | 'count' | 'probe' | 'unknown';

type Side = 'title' | 'summary' | 'probe';

// What the program sends as the only message of its probes; seen in 1.0.128 to 2.1.332.
const PROBES = new Set(['quota', 'count', 'foo', 'test']);

/** The kind of an HTTP request, by method, path (with or without a query) and parsed body. */
export function kindOf(method: string, path: string, body: unknown): CallKind {
  const [pathname] = path.split('?');
  if (method === 'POST' && pathname === '/v1/messages/count_tokens') return 'count';
  if (method === 'POST' && pathname === '/v1/messages') {
    return isMessagesRequest(body) && sideOf(body) !== undefined ? 'side' : 'turn';
  }
  return (method === 'GET' || method === 'HEAD') && pathname === '/' ? 'probe' : 'unknown';
}

/** The answer to a side call: well formed, short, and never mistaken for somebody's reply. */
export function sideAnswer(request: MessagesRequest): Answer {
  const texts: Record<Side, string> = {
    title: '{"title":"Rehearsal"}',
    summary: '<analysis>\nRehearsal.\n</analysis>\n<summary>\nA rehearsal with a scripted model.\n</summary>',
    probe: 'ok',
  };
  return { content: [{ type: 'text', text: texts[sideOf(request) ?? 'probe'] }] };
}

function sideOf(request: MessagesRequest): Side | undefined {
  const properties = request.output_config?.format?.schema?.properties;
  if (properties !== undefined && 'title' in properties) return 'title';
  const last = lastText(request);
  if (/^(CRITICAL: Respond with TEXT ONLY|Your task is to create a detailed summary)/.test(last))
    return 'summary';
  // 2.0.56 and 2.1.1 warm up at start with the whole system prompt.
  if (request.max_tokens === 1 || last === 'Warmup') return 'probe';
  if (PROBES.has(last) && request.messages.length === 1 && textOf(request.system ?? '') === '')
    return 'probe';
  return undefined;
}

/** The last text block: a compaction may stand behind somebody's words in one message. */
function lastText(request: MessagesRequest): string {
  const content = request.messages.at(-1)?.content ?? '';
  if (typeof content === 'string') return content.trim();
  return content.findLast((block) => block.type === 'text')?.text?.trim() ?? '';
}
