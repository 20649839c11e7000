// Channels: conversations with many heads, answered only where the rule says so.
import { canonicalName } from './addressing.js';
import type { IncomingMessage } from './message.js';

/** `mention`: only when our alias is named; `all`: every message; `ignore`: none. */
export type ChannelRule = 'mention' | 'all' | 'ignore';

export const isChannel = (conversation: string): boolean => conversation.startsWith('#');

/** Is this message ours to answer, as far as channels go? Direct messages always are. */
export function isForUs(
  message: Pick<IncomingMessage, 'conversation' | 'text'>,
  rule: ChannelRule,
  ownName: string | undefined,
): boolean {
  if (!isChannel(message.conversation) || rule === 'all') return true;
  return rule === 'mention' && ownName !== undefined && mentions(message.text, ownName);
}

/** `@agent` as a word of its own: not the beginning of `@agent-two`, not the end of an address like `joe@agent`. */
function mentions(text: string, name: string): boolean {
  const wanted = canonicalName(name);
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const before = lower[at - 1] ?? ' ';
    const rest = lower.slice(at + wanted.length);
    // A hyphen goes on with the name only when more of it follows: "@agent-" is a mention, "@agent-two" is none.
    if (!/[\w.-]/.test(before) && !/^(\w|-+\w)/.test(rest)) return true;
  }
  return false;
}
