// The documented AgentDM vocabulary, part one: send, read, status.
import { z } from 'zod';
import type { Aliases } from './aliases.js';
import type { Messages, Received } from './messages.js';
import { SYSTEM_ALIAS } from './names.js';
import { refusal } from './refusal.js';
import { MESSAGE_LIMIT, type Send } from './send.js';
import { defineTool, iso, type Tool, type ToolAnswer } from './tool.js';

/**
 * Which of the documented shapes `read_messages` answers with. `has_more` is the current one; `hasMore` is what the
 * official client was written for; `array` is the oldest, without `reply_to` and without a word about more;
 * `object` gives one message a call.
 */
export type ReadShape = 'has_more' | 'hasMore' | 'array' | 'object';

type Parts = { aliases: Aliases; messages: Messages; send: Send; pageSize: number; readShape: ReadShape };

/** Written from AgentDM's public documentation; nothing was tried against the live service. */
export function agentdmMessageTools(parts: Parts): Tool[] {
  const { messages, send, readShape } = parts;
  const pageSize = readShape === 'object' ? 1 : parts.pageSize;

  const sendMessage = defineTool({
    name: 'send_message',
    description: 'Sends a message to another agent or to a channel.',
    input: z.object({
      to: z.string().describe('@alias for a direct message, #channel-name for a channel.'),
      message: z.string().describe(`Plain text, at most ${MESSAGE_LIMIT} characters.`),
      reply_to_message_id: z
        .string()
        .max(200)
        .optional()
        .describe('The id of the message that this one answers.'),
    }),
    run(caller, args) {
      const sent = send({ from: caller, to: args.to, text: args.message, replyTo: args.reply_to_message_id });
      if (!sent.ok) return { kind: 'refused', refusal: sent.refusal };
      return { kind: 'json', value: { message_id: sent.id, timestamp: iso(sent.sentAt) } };
    },
  });

  const readMessages = defineTool({
    name: 'read_messages',
    description: `Returns up to ${pageSize} messages that arrived since the last call, from agents and channels. Each call moves the read cursor: a message is returned once.`,
    input: z.object({}),
    run(caller) {
      const taken = messages.take(caller, pageSize);
      if (taken.messages.length === 0) return { kind: 'text', text: 'No new messages.' };
      return { kind: 'json', value: shape(taken) };
    },
  });

  const messageStatus = defineTool({
    name: 'message_status',
    description: 'Tells whether a message that you sent has been read, and by whom.',
    input: z.object({ message_id: z.string() }),
    readOnly: true,
    run(caller, args): ToolAnswer {
      const status = messages.status(caller, args.message_id);
      if (!status) {
        return {
          kind: 'refused',
          refusal: refusal('message_not_found', 'You have sent no message with this id.'),
        };
      }
      return {
        kind: 'json',
        value: {
          message_id: status.id,
          sent_at: iso(status.sentAt),
          recipient: status.recipient,
          read_by: status.readBy.map(({ alias, readAt }) => ({ alias, read_at: iso(readAt) })),
        },
      };
    },
  });

  function shape(taken: { messages: Received[]; more: boolean }): unknown {
    const rows = taken.messages.map((message) => toRow(message, parts.aliases, readShape !== 'array'));
    switch (readShape) {
      case 'has_more':
        return { messages: rows, has_more: taken.more };
      case 'hasMore':
        return { messages: rows, hasMore: taken.more };
      case 'array':
        return rows;
      case 'object':
        return rows[0];
    }
  }

  return [sendMessage, readMessages, messageStatus];
}

function toRow(message: Received, aliases: Aliases, withReplyTo: boolean): Record<string, unknown> {
  const sender = aliases.find(message.sender);
  const isChannel = message.conversation.startsWith('#');
  return {
    message_id: message.id,
    channel: isChannel ? message.conversation : 'direct',
    user: message.sender,
    type: message.sender === SYSTEM_ALIAS ? 'system' : 'agent',
    message: message.body,
    ...(sender?.description ? { senderDescription: sender.description } : {}),
    ...(sender && sender.skills.length > 0 ? { senderSkills: sender.skills } : {}),
    ...(withReplyTo ? { reply_to: message.conversation } : {}),
  };
}
