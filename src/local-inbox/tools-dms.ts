// The `dms` vocabulary: our own list, read, acknowledge and send, with unread counts and idempotency keys.
import { z } from 'zod';
import type { Messages } from './messages.js';
import { parseLooseAddress } from './names.js';
import { refusal } from './refusal.js';
import { MESSAGE_LIMIT, type Send } from './send.js';
import { defineTool, iso, type Tool, type ToolAnswer } from './tool.js';

type Parts = { messages: Messages; send: Send; pageSize: number };

/** AgentDM publishes no such tools: the shapes are ours. Read state is shared with the `agentdm` vocabulary. */
export function dmsTools({ messages, send, pageSize }: Parts): Tool[] {
  const listDms = defineTool({
    name: 'list_dms',
    description:
      'Lists your conversations with agents (@alias) and channels (#name), the newest first, each with its number of unread messages. Marks nothing as read.',
    input: z.object({}),
    readOnly: true,
    run(caller) {
      const dms = messages.conversations(caller, pageSize).map(({ with: counterpart, unread, lastAt }) => ({
        with: counterpart,
        unread,
        last_at: iso(lastAt),
      }));
      return { kind: 'structured', value: { dms } };
    },
  });

  const readDm = defineTool({
    name: 'read_dm',
    description:
      'Returns the unread messages of one conversation, the oldest first, and marks them as read. With mark_read false they stay unread until ack_dm names them.',
    input: z.object({
      with: z.string().describe('@alias or #channel, as list_dms gives it.'),
      mark_read: z.boolean().optional().describe('Default true.'),
    }),
    run(caller, args) {
      const conversation = parseLooseAddress(args.with);
      if (!conversation) return invalidAddress('with');
      const found = messages.read(caller, conversation.written, pageSize, args.mark_read ?? true);
      const value = {
        messages: found.messages.map((message) => ({
          id: message.id,
          from: message.sender,
          text: message.body,
          at: iso(message.sentAt),
        })),
      };
      // Only there when there is more, so that the usual answer is the documented shape and nothing else.
      return { kind: 'structured', value: found.more ? { ...value, has_more: true } : value };
    },
  });

  const ackDm = defineTool({
    name: 'ack_dm',
    description:
      'Marks messages as read that read_dm returned with mark_read false. Repeating it does no harm. Ids that are not in your inbox are left out of the answer.',
    input: z.object({ ids: z.array(z.string()).min(1).max(1_000).describe('Message ids.') }),
    run(caller, args) {
      return { kind: 'structured', value: { acknowledged: messages.acknowledge(caller, args.ids) } };
    },
  });

  const sendDm = defineTool({
    name: 'send_dm',
    description: 'Sends a message to an agent or a channel.',
    input: z.object({
      to: z.string().describe('@alias or #channel.'),
      message: z.string().describe(`Plain text, at most ${MESSAGE_LIMIT} characters.`),
      reply_to: z.string().max(200).optional().describe('The id of the message that this one answers.'),
      idempotency_key: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A second call with the same key sends nothing and returns the first answer.'),
    }),
    run(caller, args) {
      const to = parseLooseAddress(args.to);
      if (!to) return invalidAddress('to');
      const sent = send({
        from: caller,
        to: to.written,
        text: args.message,
        replyTo: args.reply_to,
        idempotencyKey: args.idempotency_key,
      });
      if (!sent.ok) return { kind: 'refused', refusal: sent.refusal };
      return { kind: 'structured', value: { message_id: sent.id } };
    },
  });

  return [listDms, readDm, ackDm, sendDm];
}

function invalidAddress(argument: string): ToolAnswer {
  return { kind: 'refused', refusal: refusal('invalid_alias', `Write "${argument}" as @alias or #channel.`) };
}
