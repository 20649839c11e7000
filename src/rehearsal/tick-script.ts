// Follows a tick prompt through the inbox tools, one step a call: list_dms, then read_dm and send_dm for each.

import type { Answer } from './answer.js';
import { type ToolStep, toolNamed, toolSteps } from './conversation.js';
import { replyText } from './reply-text.js';
import { type MessagesRequest, parseJson } from './request.js';

interface Tools {
  readonly list: string;
  readonly read: string;
  readonly send: string;
}

/** The next step, or undefined when the request does not offer the three tools. */
export function tickStep(request: MessagesRequest): Answer | undefined {
  const list = toolNamed(request, 'list_dms');
  const read = toolNamed(request, 'read_dm');
  const send = toolNamed(request, 'send_dm');
  if (list === undefined || read === undefined || send === undefined) return undefined;
  return nextStep(toolSteps(request), { list, read, send });
}

function nextStep(steps: readonly ToolStep[], tools: Tools): Answer {
  const listed = steps.findLast((step) => step.name === tools.list);
  if (listed === undefined) return use(tools.list, {});
  if (listed.failed) return say(`The inbox could not be read: ${listed.result ?? ''}`);
  for (const dm of records(listed, 'dms')) {
    const partner = dm.with;
    if (typeof partner !== 'string' || !(Number(dm.unread) > 0)) continue;
    const read = steps.find((step) => step.name === tools.read && field(step.input, 'with') === partner);
    if (read === undefined) return use(tools.read, { with: partner });
    const texts = records(read, 'messages').map((message) => String(message.text ?? ''));
    const question = texts.at(-1);
    const sent = steps.some((step) => step.name === tools.send && field(step.input, 'to') === partner);
    if (question === undefined || sent) continue;
    const reply = replyText(question, texts.slice(0, -1));
    if (reply !== 'NO_REPLY') return use(tools.send, { to: partner, message: reply });
  }
  return say('done');
}

/** The array `name` in a tool's JSON result; empty when the result is an error or has another shape. */
function records(step: ToolStep, name: string): Record<string, unknown>[] {
  const found = step.failed ? undefined : field(parseJson(step.result ?? ''), name);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'object' && item !== null) : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const use = (name: string, input: object): Answer => ({ content: [{ type: 'tool_use', name, input }] });
const say = (text: string): Answer => ({ content: [{ type: 'text', text }] });
