// Sending: the rules, the commit, and the word to those whose inbox changed.
import type { Aliases } from './aliases.js';
import type { Channels } from './channels.js';
import type { Messages, Stored } from './messages.js';
import { type Address, parseAddress, SYSTEM_ALIAS } from './names.js';
import { type Refusal, refusal } from './refusal.js';

/** AgentDM's limit, counted in UTF-16 units: the strictest way, since theirs is not documented. */
export const MESSAGE_LIMIT = 10_000;

type SendRequest = {
  /** The sender's alias in its written form; `@system` for a notice that no agent wrote. */
  from: string;
  /** `@alias` or `#channel`. */
  to: string;
  text: string;
  /** The id of the message that this one answers. Kept as it is: a thread may begin in an inbox that is gone. */
  replyTo?: string | undefined;
  idempotencyKey?: string | undefined;
};

type SendOutcome =
  | ({ ok: true /** The key was used before; nothing was sent now. */; repeated: boolean } & Stored)
  | { ok: false; refusal: Refusal };

/** Called once for every receiver, after the message is committed. */
type Announce = (receiver: string, messageId: string) => void;

/** A message that was taken, as whoever owns this inbox may watch it. */
export type Posted = { messageId: string; from: string; to: string; text: string };

type Parts = {
  aliases: Aliases;
  channels: Channels;
  messages: Messages;
  announce: Announce;
  /** Called once for every message taken for the first time, after it is committed. */
  posted(message: Posted): void;
};

/** The one way into an inbox. When it returns `ok`, the message is on disk; it never waits for a receiver. */
export function createSend({ aliases, channels, messages, announce, posted }: Parts) {
  function route(from: string, to: Address): { receivers: string[]; conversation: string } | Refusal {
    if (to.kind === 'alias') {
      if (to.written === from) return refusal('self_message', 'You cannot send a message to yourself.');
      if (!aliases.find(to.written)) return refusal('alias_not_found', `There is no agent ${to.written}.`);
      return { receivers: [to.written], conversation: from };
    }
    const members = channels.members(to.written);
    if (!members) return refusal('channel_not_found', `There is no channel ${to.written}.`);
    if (from !== SYSTEM_ALIAS && !members.includes(from)) {
      return refusal('not_channel_member', `You are not a member of ${to.written}.`);
    }
    return { receivers: members.filter((member) => member !== from), conversation: to.written };
  }

  return function send(request: SendRequest): SendOutcome {
    const { from, text, replyTo, idempotencyKey } = request;
    if (idempotencyKey !== undefined) {
      // First of all, so that a repeat gets the first answer even if the receiver is gone by now.
      const first = messages.byIdempotencyKey(from, idempotencyKey);
      if (first) return { ok: true, repeated: true, ...first };
    }
    const to = parseAddress(request.to);
    if (!to) return refused(refusal('invalid_alias', 'Write the receiver as @alias or #channel.'));
    if (text.length > MESSAGE_LIMIT) {
      return refused(
        refusal(
          'message_too_long',
          `The message has ${text.length} characters; at most ${MESSAGE_LIMIT} are taken.`,
        ),
      );
    }
    if (text.trim() === '') return refused(refusal('empty_message', 'The message is empty.'));
    const routed = route(from, to);
    if ('code' in routed) return refused(routed);
    const stored = messages.add({
      ...routed,
      sender: from,
      recipient: to.written,
      body: text,
      replyTo,
      idempotencyKey,
    });
    posted({ messageId: stored.id, from, to: to.written, text });
    for (const receiver of routed.receivers) announce(receiver, stored.id);
    return { ok: true, repeated: false, ...stored };
  };
}

export type Send = ReturnType<typeof createSend>;

function refused(reason: Refusal): SendOutcome {
  return { ok: false, refusal: reason };
}
