// The model of the rehearsal: answers fenced messages in line, and follows a tick prompt with the inbox tools.
import { prompts } from './conversation.js';
import { type FencedMessage, fencedMessages, lastMessageText } from './fenced.js';
import { replyText } from './reply-text.js';
import type { MessagesRequest } from './request.js';
import type { Script } from './script.js';
import { tickStep } from './tick-script.js';

/**
 * A prompt with fenced messages, or any plain text, is answered with text. A prompt that names the tools (“Call
 * list_dms. … read_dm … send_dm”) and comes with them is worked off with them and ends in “done”. A later prompt
 * of the same session that has neither (“Continue: …”) goes on with what the session was about.
 */
export const defaultScript: Script = (request) => {
  const said = prompts(request);
  const fenced = said.some((prompt) => fencedMessages(prompt).length > 0);
  const tick =
    !fenced && said.some((prompt) => /\blist_dms\b/.test(prompt) && /\b(read|send)_dm\b/.test(prompt));
  const step = tick ? tickStep(request) : undefined;
  return step ?? { content: [{ type: 'text', text: inlineReply(request) }] };
};

function inlineReply(request: MessagesRequest): string {
  const said = prompts(request);
  const all = said.flatMap(fencedMessages);
  const question = all.findLast((message) => message.kind === 'message');
  if (question === undefined) {
    const lines = said.map(lastMessageText);
    return replyText(lines.at(-1) ?? '', lines.slice(0, -1));
  }
  // Our own words stand among the earlier ones; the writer of the question is who wants to be remembered.
  const theirs = all.filter((message) => message.from === question.from && message !== question);
  return replyText(question.text, onceEach(theirs, question.id));
}

/** A prompt that failed stands in the history again with its next attempt: a message counts once. */
function onceEach(messages: readonly FencedMessage[], questionId: string | undefined): string[] {
  const seen = new Set([questionId]);
  return messages
    .filter(({ id }) => {
      const repeated = id !== undefined && seen.has(id);
      seen.add(id);
      return !repeated;
    })
    .map((message) => message.text);
}
