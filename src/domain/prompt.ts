// The prompt of one turn: the claimed conversation's messages, and what the session does not yet remember.
import { plainName } from './addressing.js';
import type { Claim } from './claim.js';
import { fence } from './fence.js';
import { unlinkMentions } from './mention.js';
import type { Exchange, Message } from './message.js';
import { headOf } from './split.js';
import type { Delivery } from './verdict.js';

export interface PromptParts {
  readonly delivery: Delivery;
  readonly claim: Claim;
  /** Last exchanges of the conversation, oldest first; empty where the session already holds them. */
  readonly memory: readonly Exchange[];
  /** An unguessable word for the fences of this prompt. */
  readonly nonce: string;
  /** The user's own words for `pull`. */
  readonly tickPrompt: string;
  /** `continue`: the session's history already holds this claim's prompt. */
  readonly mode: 'full' | 'continue';
  /** An earlier attempt may have left work half done. */
  readonly halfDone: boolean;
  /** A message's text is cut here; the rest is read with read_dm. In characters. */
  readonly maxInlineChars: number;
}

const HALF_DONE =
  'An earlier attempt at this was cut off. Work may be half done: check before you repeat a step that has effects.';

/** Many long messages at once are cut as if they were this many: the model takes only so much. */
const WHOLE_PROMPT = 3;

export function buildPrompt(parts: PromptParts): string {
  if (parts.mode === 'continue') return unlinkMentions(continuePrompt(parts));
  // The tick prompt is the user's own; all else holds what strangers wrote.
  const sections = parts.delivery === 'pull' ? [parts.tickPrompt] : inlineSections(parts).map(unlinkMentions);
  if (parts.halfDone) sections.push(HALF_DONE);
  return sections.join('\n\n');
}

function inlineSections(parts: PromptParts): string[] {
  const { claim, memory } = parts;
  const sections: string[] = [];
  if (memory.length > 0) {
    const lines = memory.map((exchange) =>
      fence(
        'earlier',
        parts.nonce,
        { from: plainName(exchange.name), at: isoOf(exchange.at) },
        exchange.text,
      ),
    );
    sections.push(`Earlier in this conversation with ${plainName(claim.conversation)}:`, lines.join('\n'));
  }
  const many = claim.messages.length === 1 ? 'A new message' : `${claim.messages.length} new messages`;
  sections.push(`${many} in your conversation with ${plainName(claim.conversation)}:`);
  let left = parts.maxInlineChars * WHOLE_PROMPT;
  const fenced = claim.messages.map((message) => {
    const chars = Math.min(parts.maxInlineChars, left);
    left -= Math.min(chars, message.text.length);
    return fenceMessage(message, chars, parts);
  });
  sections.push(fenced.join('\n'));
  return sections;
}

function fenceMessage(message: Message, chars: number, parts: PromptParts): string {
  const attributes = {
    id: plainName(message.id),
    from: plainName(message.sender),
    at: isoOf(message.sentAt ?? message.spooledAt),
  };
  const whole = message.text;
  if (whole.length <= chars) return fence('message', parts.nonce, attributes, whole);
  const shown = headOf(whole, chars);
  const note = `(cut: ${shown.length} of ${whole.length} characters; read on with read_dm {"with": "${plainName(parts.claim.conversation)}", "id": "${plainName(message.id)}", "offset": ${shown.length}})`;
  return `${fence('message', parts.nonce, attributes, shown)}\n${note}`;
}

/** Names the messages without repeating them: the history holds their text. */
function continuePrompt(parts: PromptParts): string {
  const ids = parts.claim.messages.map((message) => plainName(message.id)).join(', ');
  const subject =
    parts.delivery === 'inline'
      ? `message ${ids} from ${plainName(parts.claim.conversation)}`
      : plainName(parts.claim.conversation);
  const how =
    parts.delivery === 'inline'
      ? 'Your final text is sent word for word.'
      : 'Answer with send_dm, as before.';
  const lead = `Continue: your turn on ${subject} was cut off before it was answered.`;
  const half = parts.halfDone ? ` ${HALF_DONE}` : '';
  const fallback = ` If you do not see it above, read it with read_dm {"with": "${plainName(parts.claim.conversation)}"}.`;
  return `${lead}${half} ${how}${fallback}`;
}

const isoOf = (at: number): string => new Date(at).toISOString();
